//! Quadratures that write 1/r as a sum of plane waves which decay along one axis.
//!
//! 1/√(ρ² + z²) = ∫₀^∞ e^{−λz} J₀(λρ) dλ ≈ Σ_k w_k e^{−λ_k z} (1/M_k) Σ_j e^{iλ_k ρ cos(α_j − φ)} for 1 ≤ z ≤ 4
//! and ρ ≤ ρ_max, lengths in sides of a box. The nodes are generalised Gaussian: they minimise the error over the
//! domain's boundary; `benches/rules/wave_rules.py` finds them. Source: Greengard & Rokhlin (1997); Yarvin & Rokhlin (1998).

use alloc::vec::Vec;

/// A node and the directions that it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Node {
    /// λ: the rate of decay and the wave number.
    pub(crate) rate: f64,
    pub(crate) weight: f64,
    /// M: directions α_j = 2π (j + ½)/M, a multiple of 4.
    pub(crate) directions: usize,
    /// Azimuthal indices m = 0 … F − 1 that a box sends or receives.
    pub(crate) modes: usize,
}

/// A quadrature.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    /// Largest error of 1/r along z and ρ.
    pub(crate) error: f64,
    pub(crate) nodes: Vec<Node>,
}

impl Rule {
    /// The rule of fewest nodes with an error of at most `error` up to ρ = √`reach2`, or else the most accurate.
    pub(crate) fn new(reach2: usize, error: f64) -> Self {
        let (mut best, mut of_best) = (f64::INFINITY, "");
        for line in include_str!("rules.txt").lines().filter(|line| !line.starts_with('#')) {
            let mut numbers = numbers(line);
            let (Some(reach), Some(found)) = (numbers.next(), numbers.next()) else { continue };
            if num_traits::Float::abs(reach * reach - reach2 as f64) > 1e-6 || best <= error {
                continue;
            }
            (best, of_best) = (found, line);
        }
        let (mut numbers, mut nodes) = (numbers(of_best).skip(2), Vec::new());
        let mut next = || numbers.next();
        while let (Some(rate), Some(weight), Some(m), Some(f)) = (next(), next(), next(), next()) {
            nodes.push(Node { rate, weight, directions: m as usize, modes: f as usize });
        }
        Self { error: best, nodes }
    }

    /// The rule cut in as few parts, of consecutive nodes, as leave no part with many more than `longest` waves.
    pub(crate) fn parts(&self, longest: usize) -> Vec<Self> {
        let (all, n_parts) = (self.n_waves(), self.n_waves().div_ceil(longest).max(1));
        let mut parts = Vec::new();
        let (mut nodes, mut waves) = (Vec::new(), 0);
        for node in &self.nodes {
            nodes.push(*node);
            waves += node.directions / 2;
            if waves * n_parts >= all * (parts.len() + 1) {
                let nodes = core::mem::take(&mut nodes);
                parts.push(Self { error: self.error, nodes });
            }
        }
        parts
    }

    /// Half of the waves: the other half are their conjugates.
    pub(crate) fn n_waves(&self) -> usize {
        self.nodes.iter().map(|node| node.directions / 2).sum()
    }
}

/// Numbers of a line of the table: ρ_max, the error, then four numbers a node.
fn numbers(line: &str) -> impl Iterator<Item = f64> {
    line.split(' ').filter_map(|number| number.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(rule: &Rule, [x, y, z]: [f64; 3]) -> f64 {
        let mut sum = 0.0;
        for node in &rule.nodes {
            let n = node.directions;
            let wave = |j: usize| {
                let alpha = core::f64::consts::TAU * (j as f64 + 0.5) / n as f64;
                (node.rate * (x * alpha.cos() + y * alpha.sin())).cos()
            };
            let mean = (0..n).map(wave).sum::<f64>() / n as f64;
            sum += node.weight * (-node.rate * z).exp() * mean;
        }
        sum
    }

    #[test]
    fn rules_are_as_accurate_as_they_say() {
        for reach2 in [32, 20, 8] {
            let reach = (reach2 as f64).sqrt();
            let mut error: f64 = 0.02;
            let mut last = 0;
            while error > 1e-13 {
                let rule = Rule::new(reach2, error);
                assert!(rule.error <= error && rule.nodes.len() >= last);
                last = rule.nodes.len();
                let mut worst: f64 = 0.0;
                for z in [1.0, 1.02, 1.1, 1.5, 2.0, 4.0] {
                    for step in 0..=60 {
                        let rho = reach * step as f64 / 60.0;
                        let phi = 0.3 + 0.7 * step as f64;
                        let seen = sum(&rule, [rho * phi.cos(), rho * phi.sin(), z]);
                        worst = worst.max((seen - rho.hypot(z).recip()).abs());
                    }
                }
                // The error of the nodes, and as much for the directions.
                assert!(worst < 2.0 * rule.error + 3e-15, "{reach2}: {worst:e} {:e}", rule.error);
                error *= 0.1;
            }
        }
    }
}
