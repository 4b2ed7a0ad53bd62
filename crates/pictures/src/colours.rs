//! Perceptual colour maps: equal steps of the scale look equally large.

use std::str::FromStr;

use colorous::Gradient;

use crate::error::Error;

/// A perceptual colour map, from dark to bright.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Colours {
    /// Black, purple, orange, light yellow.
    #[default]
    Inferno,
    /// Black, purple, pink, cream.
    Magma,
    /// Blue, purple, orange, yellow.
    Plasma,
    /// Purple, blue, green, yellow.
    Viridis,
    /// Blue to yellow, the same for readers with colour blindness.
    Cividis,
}

/// Number of colours of a picture, apart from its labels.
pub(crate) const STEPS: usize = 224;

impl Colours {
    /// All maps with their names.
    pub const ALL: [(&'static str, Colours); 5] = [
        ("inferno", Colours::Inferno),
        ("magma", Colours::Magma),
        ("plasma", Colours::Plasma),
        ("viridis", Colours::Viridis),
        ("cividis", Colours::Cividis),
    ];

    /// Red, green and blue of a step from 0 to `STEPS` − 1.
    pub(crate) fn table(self) -> [[u8; 3]; STEPS] {
        let gradient: Gradient = match self {
            Colours::Inferno => colorous::INFERNO,
            Colours::Magma => colorous::MAGMA,
            Colours::Plasma => colorous::PLASMA,
            Colours::Viridis => colorous::VIRIDIS,
            Colours::Cividis => colorous::CIVIDIS,
        };
        std::array::from_fn(|step| {
            let colour = gradient.eval_rational(step, STEPS);
            [colour.r, colour.g, colour.b]
        })
    }
}

impl FromStr for Colours {
    type Err = Error;

    fn from_str(name: &str) -> Result<Colours, Error> {
        let found = Colours::ALL.into_iter().find(|(known, _)| *known == name);
        found.map(|(_, colours)| colours).ok_or_else(|| Error::Extension {
            name: name.to_owned(),
            what: "colour maps",
            known: "inferno, magma, plasma, viridis, cividis",
        })
    }
}
