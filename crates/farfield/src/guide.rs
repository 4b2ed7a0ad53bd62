//! Pages of the book's guide, so that their examples are compiled and run with the documentation tests.

/// A type for each page.
macro_rules! pages {
    ($($name:ident $page:literal,)*) => {
        $(
            #[doc = include_str!(concat!("../../../docs/guide/", $page, ".md"))]
            #[derive(Debug)]
            pub struct $name;
        )*
    };
}

pages! {
    FirstSum "first-sum",
    Accuracy "accuracy",
    ManyCharges "many-charges",
    SourcesAndReceivers "sources-and-receivers",
    Treecode "treecode",
    TreeAlone "tree-alone",
    OwnKernel "own-kernel",
    OperatorsAlone "operators-alone",
    Gpu "gpu",
    ManyProcesses "many-processes",
    Simulations "simulations",
    Applications "applications",
}
