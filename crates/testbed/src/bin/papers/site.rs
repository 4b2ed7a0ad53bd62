//! The folder of pages, and numbers of other pages behind marks: written from the records, or compared with them.

use std::path::{Path, PathBuf};

use crate::page::Page;
use crate::{Outcome, catalogue, gpus, hu, marks, nakasato, yokota_barba};
use testbed::record::Records;

/// Writes all pages and figures from the records of `folder`.
///
/// # Errors
/// Records that cannot be read, figures that cannot be drawn, files that cannot be written.
pub(crate) fn write(folder: &Path) -> Outcome {
    std::fs::create_dir_all(folder.join("figures"))?;
    for (name, text) in files(folder)? {
        std::fs::write(folder.join(name), text)?;
    }
    eprintln!("wrote the pages of {}", folder.display());
    Ok(())
}

/// Compares all pages and figures with the records of `folder`.
///
/// # Errors
/// Errors of [`write()`], and pages or figures that differ from the records, all of which the message names.
pub(crate) fn check(folder: &Path) -> Outcome {
    let files = files(folder)?;
    let differs = |(name, text): &&(PathBuf, String)| {
        std::fs::read_to_string(folder.join(name)).ok().as_ref() != Some(text)
    };
    let mut wrong: Vec<String> =
        files.iter().filter(differs).map(|(name, _)| name.display().to_string()).collect();
    let figures = std::fs::read_dir(folder.join("figures"))?.flatten();
    let stale = figures.map(|entry| Path::new("figures").join(entry.file_name()));
    let stale = stale.filter(|path| files.iter().all(|(name, _)| name != path));
    wrong.extend(stale.map(|path| format!("{} (of no page)", path.display())));
    match wrong.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "pages and records differ: {}; cargo xtask papers --pages writes the pages anew",
            wrong.join(", ")
        )
        .into()),
    }
}

/// Names and contents of all files but the records; those of other pages are absolute.
fn files(folder: &Path) -> Outcome<Vec<(PathBuf, String)>> {
    let records = Records::read(&folder.join("records"))?;
    let pages: [Page; 4] = [
        yokota_barba::page(&records)?,
        nakasato::page(&records)?,
        hu::page(&records)?,
        gpus::page(&records)?,
    ];
    let mut files = vec![(PathBuf::from("README.md"), catalogue::index(&records))];
    for page in pages {
        files.push((PathBuf::from(page.file), page.text));
        let figures = page.figures.into_iter();
        files.extend(figures.map(|(name, svg)| (Path::new("figures").join(name), svg)));
    }
    files.extend(marks::pages(folder, &records)?);
    Ok(files)
}
