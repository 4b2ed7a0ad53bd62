//! Problems as text, one setting or point a line, every number with all of its digits.

use std::fmt;
use std::str::FromStr;

use fmm::{Depth, Device, M2l, Method, Opening, Outputs, Tolerance};

use super::{Precision, Problem, Settings};

/// Writes a name, then numbers.
fn line(f: &mut fmt::Formatter<'_>, name: &str, numbers: &[f64]) -> fmt::Result {
    write!(f, "{name}")?;
    numbers.iter().try_for_each(|x| write!(f, " {x:e}"))?;
    writeln!(f)
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Settings { method, opening, m2l, tolerance, precision, .. } = self.settings;
        let Settings { outputs, softening, depth, device, vectors, .. } = self.settings;
        writeln!(f, "method {method}")?;
        match opening {
            None => {}
            Some(Opening::BarnesHut { theta }) => line(f, "opening barnes-hut", &[theta])?,
            Some(Opening::Nakasato { theta }) => line(f, "opening nakasato", &[theta])?,
            Some(Opening::Relative { alpha }) => line(f, "opening relative", &[alpha])?,
            Some(_) => writeln!(f, "opening neighbours")?,
        }
        match m2l {
            None => {}
            Some(M2l::Dense) => writeln!(f, "m2l dense")?,
            Some(M2l::Rotation) => writeln!(f, "m2l rotation")?,
            Some(_) => writeln!(f, "m2l waves")?,
        }
        match tolerance {
            Tolerance::Guaranteed(tolerance) => line(f, "tolerance guaranteed", &[tolerance])?,
            Tolerance::Order(order) => writeln!(f, "tolerance order {order}")?,
            Tolerance::L2(tolerance) => line(f, "tolerance l2", &[tolerance])?,
            // A kind of tolerance that is new is not fuzzed yet.
            _ => return Err(fmt::Error),
        }
        let precision = match precision {
            Precision::F32 => "f32",
            Precision::F32OfF64 => "f32-of-f64",
            Precision::F64 => "f64",
        };
        writeln!(f, "precision {precision}")?;
        match outputs {
            Outputs::Potential => writeln!(f, "outputs potential")?,
            Outputs::Gradient => writeln!(f, "outputs gradient")?,
            Outputs::PotentialAndGradient => {}
        }
        if softening != 0.0 {
            line(f, "softening", &[softening])?;
        }
        match depth {
            None => {}
            Some(Depth::Uniform(level)) => writeln!(f, "depth uniform {level}")?,
            Some(Depth::Adaptive { leaf_capacity }) => {
                writeln!(f, "depth adaptive {leaf_capacity}")?;
            }
            Some(Depth::AdaptiveTo { leaf_capacity, max_level }) => {
                writeln!(f, "depth adaptive-to {leaf_capacity} {max_level}")?;
            }
        }
        writeln!(f, "device {device}\nvectors {vectors}")?;
        for ([x, y, z], charge) in self.sources.iter().zip(&self.charges) {
            line(f, "source", &[*x, *y, *z, *charge])?;
        }
        if self.receivers.is_some() {
            writeln!(f, "apart")?;
        }
        self.receivers.iter().flatten().try_for_each(|x| line(f, "receiver", x))
    }
}

/// Line of a text that is no problem, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoProblem(pub usize);

impl fmt::Display for NoProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "line {} is no setting and no point of a problem; see crates/testbed/corpus",
            self.0
        )
    }
}

impl std::error::Error for NoProblem {}

impl FromStr for Problem {
    type Err = NoProblem;

    fn from_str(text: &str) -> Result<Self, NoProblem> {
        let mut problem = Self::empty();
        for (index, line) in text.lines().enumerate() {
            let words: Vec<&str> = line.split_whitespace().collect();
            if words.first().is_some_and(|word| !word.starts_with('#')) {
                problem.read(&words).ok_or(NoProblem(index + 1))?;
            }
        }
        Ok(problem)
    }
}

impl Problem {
    /// No points, and settings by default.
    fn empty() -> Self {
        let settings = Settings {
            method: Method::Auto,
            opening: None,
            m2l: None,
            tolerance: Tolerance::default(),
            precision: Precision::F64,
            outputs: Outputs::default(),
            softening: 0.0,
            depth: None,
            device: Device::Cpu,
            vectors: 1,
        };
        Self { settings, sources: Vec::new(), charges: Vec::new(), receivers: None }
    }

    /// Takes over a line; `None` for one that means nothing.
    fn read(&mut self, words: &[&str]) -> Option<()> {
        let settings = &mut self.settings;
        match words {
            ["method", name] => settings.method = name.parse().ok()?,
            ["opening", words @ ..] => settings.opening = Some(opening(words)?),
            ["m2l", "dense"] => settings.m2l = Some(M2l::Dense),
            ["m2l", "rotation"] => settings.m2l = Some(M2l::Rotation),
            ["m2l", "waves"] => settings.m2l = Some(M2l::PlaneWaves),
            ["tolerance", "l2", value] => settings.tolerance = Tolerance::L2(value.parse().ok()?),
            ["tolerance", "guaranteed", value] => {
                settings.tolerance = Tolerance::Guaranteed(value.parse().ok()?);
            }
            ["tolerance", "order", order] => {
                settings.tolerance = Tolerance::Order(order.parse().ok()?);
            }
            ["precision", "f32"] => settings.precision = Precision::F32,
            ["precision", "f32-of-f64"] => settings.precision = Precision::F32OfF64,
            ["precision", "f64"] => settings.precision = Precision::F64,
            ["outputs", "potential"] => settings.outputs = Outputs::Potential,
            ["outputs", "gradient"] => settings.outputs = Outputs::Gradient,
            ["softening", length] => settings.softening = length.parse().ok()?,
            ["depth", words @ ..] => settings.depth = Some(depth(words)?),
            ["device", name] => settings.device = name.parse().ok()?,
            ["vectors", count] => settings.vectors = count.parse().ok()?,
            ["source", x, y, z, charge] => {
                self.sources.push(point([x, y, z])?);
                self.charges.push(charge.parse().ok()?);
            }
            ["apart"] => self.receivers = Some(Vec::new()),
            ["receiver", x, y, z] => self.receivers.as_mut()?.push(point([x, y, z])?),
            _ => return None,
        }
        Some(())
    }
}

fn point(words: [&&str; 3]) -> Option<[f64; 3]> {
    let [x, y, z] = words.map(|word| word.parse().ok());
    Some([x?, y?, z?])
}

fn opening(words: &[&str]) -> Option<Opening> {
    Some(match words {
        ["neighbours"] => Opening::Neighbours,
        ["barnes-hut", theta] => Opening::BarnesHut { theta: theta.parse().ok()? },
        ["nakasato", theta] => Opening::Nakasato { theta: theta.parse().ok()? },
        ["relative", alpha] => Opening::Relative { alpha: alpha.parse().ok()? },
        _ => return None,
    })
}

fn depth(words: &[&str]) -> Option<Depth> {
    Some(match words {
        ["uniform", level] => Depth::Uniform(level.parse().ok()?),
        ["adaptive", capacity] => Depth::Adaptive { leaf_capacity: capacity.parse().ok()? },
        ["adaptive-to", capacity, level] => Depth::AdaptiveTo {
            leaf_capacity: capacity.parse().ok()?,
            max_level: level.parse().ok()?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::{Dice, random};
    use super::*;

    #[test]
    fn a_problem_comes_back_from_its_text() {
        for iteration in 0..300 {
            let problem = random(&mut Dice::new(5, iteration));
            assert_eq!(problem.to_string().parse(), Ok(problem));
        }
    }

    #[test]
    fn lines_without_meaning_are_named() {
        for text in
            ["# a comment\nmethod fmm\nnonsense 3", "\n\nreceiver 1 2 3", "\n\nsource 1 2 3"]
        {
            assert_eq!(text.parse::<Problem>(), Err(NoProblem(3)));
        }
    }
}
