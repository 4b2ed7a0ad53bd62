//! Films have the frames, times and colours asked for, as decoders see them.

use std::io::Cursor;
use std::path::PathBuf;

use formats::{Snapshot, write_snapshot};
use pictures::{
    Colours, Error, Film, FilmOptions, IdRanges, Image, Movie, MovieForm, MovieFormat, Size,
    write_png,
};

const SIZE: Size = Size { width: 192, height: 128 };

/// Snapshots of a clump that moves from the left to the right.
fn snapshots(folder: &tempfile::TempDir, count: usize) -> Vec<PathBuf> {
    let write = |k: usize| {
        let x = -3.0 + 6.0 * k as f64 / (count - 1) as f64;
        let snapshot = Snapshot {
            time: k as f64,
            step: k as u64,
            positions: (0..40).map(|i| [x, if i < 20 { 1.0 } else { -1.0 }, 0.0]).collect(),
            velocities: vec![[1.0, 0.0, 0.0]; 40],
            masses: vec![1.0; 40],
            ids: (0..40).collect(),
        };
        let path = folder.path().join(format!("{k}.npz"));
        write_snapshot(&path, &snapshot).unwrap();
        path
    };
    (0..count).map(write).collect()
}

fn options() -> FilmOptions {
    let centre = Some([0.0; 3]);
    FilmOptions { size: SIZE, centre, width: Some(9.6), stamped: false, ..FilmOptions::default() }
}

fn film(options: FilmOptions) -> (Film, Vec<Image>) {
    let folder = tempfile::tempdir().unwrap();
    let mut film = Film::new(snapshots(&folder, 4), options).unwrap();
    let images = (0..film.frames()).map(|frame| film.frame(frame).unwrap()).collect();
    (film, images)
}

fn brightness(image: &Image, [column, row]: [usize; 2]) -> u32 {
    image.pixels[row * SIZE.width + column].iter().map(|&part| u32::from(part)).sum()
}

#[test]
fn frames_follow_the_snapshots_with_one_scale() {
    let (film, images) = film(options());
    assert_eq!(images.len(), 4);
    for (k, image) in images.iter().enumerate() {
        // Pixels are 0.05 wide, and clumps stand at y = ±1.
        let column = 96 - 60 + 40 * k;
        for row in [44, 84] {
            assert!(brightness(image, [column, row]) > 500, "{k}");
            assert!(brightness(image, [(column + 20) % 160, row]) < 20, "{k}");
        }
    }
    assert_eq!(film.width(), 9.6);
    let more = FilmOptions { frames: Some(8), ..options() };
    let (_, repeated) = self::film(more);
    assert_eq!(repeated.len(), 8);
    assert_eq!((&repeated[0], &repeated[7]), (&images[0], &images[3]));
}

#[test]
fn chosen_particles_alone_are_drawn() {
    let upper: IdRanges = "0..20".parse().unwrap();
    let (_, images) = film(FilmOptions { ids: Some(upper), ..options() });
    assert!(brightness(&images[0], [36, 44]) > 500);
    assert!(brightness(&images[0], [36, 84]) < 20);
}

#[test]
fn views_that_show_all_are_found() {
    let (film, _) = film(FilmOptions { centre: None, width: None, ..options() });
    // Clumps reach from −3 to 3 during the film, and the picture is 1.5 times as wide as high.
    assert!((12.0..20.0).contains(&film.width()), "{}", film.width());
}

fn encode(format: MovieFormat, images: &[Image]) -> Vec<u8> {
    let form = MovieForm {
        format,
        size: SIZE,
        frames: images.len(),
        rate: 12.5,
        colours: Colours::Inferno,
    };
    let mut bytes = Vec::new();
    let mut movie = Movie::new(&mut bytes, &form).unwrap();
    images.iter().for_each(|image| movie.push(image).unwrap());
    movie.finish().unwrap();
    bytes
}

#[test]
fn rates_that_a_format_does_not_keep_are_refused() {
    use MovieFormat::{Apng, Gif, Webp};
    for (format, rate) in [
        (Gif, 12.0),
        (Gif, 20.0),
        (Gif, 50.0),
        (Gif, 98.0),
        (Gif, 0.0016),
        (Apng, 60.0),
        (Webp, 144.0),
    ] {
        format.check_rate(rate).unwrap();
    }
    for (format, rate, nearest) in [
        (Gif, 60.0, "GIF does not keep 60.0 frames a second; choose 50 or 100"),
        (Gif, 30.0, "GIF does not keep 30.0 frames a second; choose 25 or 33.33"),
        (Gif, 1e9, "GIF does not keep 1000000000.0 frames a second; choose 100"),
        (Gif, 1e-9, "GIF does not keep 1e-9 frames a second; choose 0.001526"),
        (Apng, 700.0, "APNG does not keep 700.0 frames a second; choose 500 or 1000"),
        (Webp, 1e300, "WebP does not keep 1e300 frames a second; choose 1000"),
    ] {
        assert_eq!(format.check_rate(rate).unwrap_err().to_string(), nearest);
    }
    // The rates that messages name are kept.
    for rate in [50.0, 100.0, 25.0, 33.33, 0.001526] {
        Gif.check_rate(rate).unwrap();
    }
}

#[test]
fn angles_and_widths_beyond_pictures_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let paths = snapshots(&folder, 2);
    let refused = |options: FilmOptions| Film::new(paths.clone(), options).unwrap_err();
    for rotate in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(matches!(refused(FilmOptions { rotate, ..options() }), Error::Angle(_)));
    }
    for width in [1e200, 1e-200] {
        let far = FilmOptions { width: Some(width), ..options() };
        assert!(matches!(refused(far), Error::Area(found) if found == width));
    }
    let ids = Some("50..60".parse().unwrap());
    assert!(matches!(refused(FilmOptions { ids, width: None, ..options() }), Error::NoneChosen));
}

#[test]
fn gif_has_frames_delays_and_colours() {
    let (_, images) = film(options());
    let bytes = encode(MovieFormat::Gif, &images);
    let mut decoder = gif::DecodeOptions::new();
    decoder.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = decoder.read_info(Cursor::new(bytes)).unwrap();
    assert_eq!(decoder.repeat(), gif::Repeat::Infinite);
    for image in &images {
        let frame = decoder.read_next_frame().unwrap().unwrap();
        assert_eq!((frame.delay, frame.width, frame.height), (8, 192, 128));
        let far = |(a, b): (&[u8; 4], &[u8; 3])| (0..3).any(|k| a[k].abs_diff(b[k]) > 16);
        let pixels = frame.buffer.as_chunks::<4>().0;
        assert_eq!(pixels.len(), image.pixels.len());
        // Colours of the map are exact; blended edges of labels are near.
        let exact = pixels.iter().zip(&image.pixels).filter(|(a, b)| a[..3] == b[..]).count();
        assert!(exact > image.pixels.len() * 9 / 10, "{exact}");
        assert!(
            pixels.iter().zip(&image.pixels).filter(|pair| far(*pair)).count() < pixels.len() / 100
        );
    }
    assert!(decoder.read_next_frame().unwrap().is_none());
}

#[test]
fn apng_has_frames_delays_and_every_pixel() {
    let (_, images) = film(options());
    let bytes = encode(MovieFormat::Apng, &images);
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let control = *reader.info().animation_control().unwrap();
    assert_eq!((control.num_frames, control.num_plays), (4, 0));
    for image in &images {
        let mut pixels = vec![0; 3 * SIZE.pixels()];
        reader.next_frame(&mut pixels).unwrap();
        let frame = reader.info().frame_control().unwrap();
        assert_eq!((frame.delay_num, frame.delay_den), (80, 1000));
        assert_eq!(pixels, image.pixels.as_flattened());
    }
}

#[test]
fn webp_has_frames_delays_and_every_pixel() {
    let (_, images) = film(options());
    let bytes = encode(MovieFormat::Webp, &images);
    let mut decoder = image_webp::WebPDecoder::new(Cursor::new(bytes)).unwrap();
    assert!(decoder.is_animated());
    assert_eq!((decoder.num_frames(), decoder.dimensions()), (4, (192, 128)));
    assert_eq!(decoder.loop_count(), image_webp::LoopCount::Forever);
    for image in &images {
        let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
        assert_eq!(decoder.read_frame(&mut pixels).unwrap(), 80);
        let width = pixels.len() / SIZE.pixels();
        let parts = pixels.chunks_exact(width).zip(&image.pixels);
        assert!(parts.clone().all(|(found, pixel)| found[..3] == pixel[..]));
    }
}

#[test]
fn labels_stand_in_their_corners() {
    let (_, plain) = film(options());
    let (_, stamped) = film(FilmOptions { stamped: true, time_unit: "Myr".into(), ..options() });
    let white = |image: &Image, rows: std::ops::Range<usize>, columns: std::ops::Range<usize>| {
        let lit =
            |row: usize| columns.clone().filter(|&c| brightness(image, [c, row]) > 400).count();
        rows.map(lit).sum::<usize>()
    };
    assert_eq!(white(&plain[0], 0..20, 0..90), 0);
    assert!(white(&stamped[0], 0..20, 0..90) > 20);
    // The scale bar: 2 of 9.6 units of length are 40 of 192 pixels.
    let rows = (100..128).map(|row| white(&plain[0], row..row + 1, 0..96));
    assert_eq!(rows.max(), Some(40));
}

#[test]
fn one_picture_is_a_png() {
    let (_, images) = film(options());
    let mut bytes = Vec::new();
    write_png(&mut bytes, &images[0]).unwrap();
    let mut reader = png::Decoder::new(Cursor::new(bytes)).read_info().unwrap();
    let mut pixels = vec![0; 3 * SIZE.pixels()];
    reader.next_frame(&mut pixels).unwrap();
    assert_eq!(pixels, images[0].pixels.as_flattened());
}
