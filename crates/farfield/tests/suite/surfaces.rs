//! Surfaces of VTK: a field at their points keeps what joins these.

use crate::common::Folder;

/// Five points with charges, joined to a vertex, a line, a triangle and a square.
const SURFACE: &str = "# vtk DataFile Version 3.0
a surface
ASCII
DATASET POLYDATA
POINTS 5 float
0 0 0 1 0 0 0 1 0 1 1 0 0 0 1
VERTICES 1 2
1 4
LINES 1 4
3 4 1 0
POLYGONS 2 9
3 0 1 4
4 0 1 3 2
CELL_DATA 4
SCALARS kind int 1
LOOKUP_TABLE default
1 2 3 4
POINT_DATA 5
SCALARS q double 1
LOOKUP_TABLE default
1 2 -3 4 5
";

/// A tetrahedron and a triangle of the same points.
const GRID: &str = "# vtk DataFile Version 2.0
a grid
ASCII
DATASET UNSTRUCTURED_GRID
POINTS 5 float
0 0 0 1 0 0 0 1 0 1 1 0 0 0 1
CELLS 2 9
4 0 1 2 4
3 1 3 2
CELL_TYPES 2
10 5
POINT_DATA 5
SCALARS q double 1
LOOKUP_TABLE default
1 2 -3 4 5
";

/// A section of version 5.1 as VTK's documentation has it: indices are big-endian, of 64 bits.
fn section(keyword: &str, offsets: &[i64], joined: &[i64]) -> Vec<u8> {
    let bytes =
        |numbers: &[i64]| -> Vec<u8> { numbers.iter().flat_map(|i| i.to_be_bytes()).collect() };
    let head = format!("{keyword} {} {}\nOFFSETS vtktypeint64\n", offsets.len(), joined.len());
    let parts =
        [head.as_bytes(), &bytes(offsets), b"\nCONNECTIVITY vtktypeint64\n", &bytes(joined)];
    parts.concat()
}

fn has(file: &[u8], part: &[u8]) -> bool {
    file.windows(part.len()).any(|window| window == part)
}

#[test]
fn the_cells_of_a_surface_stay() {
    let folder = Folder::new();
    folder.write("s.vtk", SURFACE);
    folder.write("a.csv", "x,y,z,q\n9,0,0,1\n0,9,0,2\n0,0,9,3\n1,2,3,4\n5,5,5,5\n");
    let sections = [
        b"\nDATASET POLYDATA\n".to_vec(),
        section("VERTICES", &[0, 1], &[4]),
        section("LINES", &[0, 3], &[4, 1, 0]),
        section("POLYGONS", &[0, 3, 7], &[0, 1, 4, 0, 1, 3, 2]),
    ];
    for arguments in
        ["s.vtk", "s.vtk --ranks 2", "a.csv --receivers s.vtk", "a.csv --receivers s.vtk --ranks 3"]
    {
        folder.succeed(&format!("evaluate {arguments} --method direct -o f.vtk"));
        let file = folder.read("f.vtk");
        for section in &sections {
            assert!(has(&file, section), "{arguments}: {}", String::from_utf8_lossy(section));
        }
        assert!(!has(&file, b"CELL_TYPES"), "{arguments}");
    }
    folder.succeed("evaluate s.vtk --method direct -o f.vtk");
    let file = folder.read("f.vtk");
    let piped = folder.feed(SURFACE.as_bytes(), "evaluate - --method direct -o piped.vtk");
    assert_eq!(piped.code, 0);
    assert!(folder.read("piped.vtk") == file);
    // What was written is read: the second file is the first.
    folder.succeed("evaluate f.vtk --method direct -o again.vtk");
    assert!(folder.read("again.vtk") == file);
    // Other receivers have no part in the surface, also where there are as many.
    for arguments in ["s.vtk --receivers a.csv", "a.csv"] {
        folder.succeed(&format!("evaluate {arguments} --method direct -o r.vtk"));
        let file = folder.read("r.vtk");
        assert!(
            has(&file, &section("CELLS", &[0, 1, 2, 3, 4, 5], &[0, 1, 2, 3, 4])),
            "{arguments}"
        );
    }
}

#[test]
fn the_cells_of_a_grid_stay() {
    let folder = Folder::new();
    folder.write("g.vtk", GRID);
    folder.succeed("evaluate g.vtk --method direct -o f.vtk");
    let file = folder.read("f.vtk");
    assert!(has(&file, b"\nDATASET UNSTRUCTURED_GRID\n"));
    assert!(has(&file, &section("CELLS", &[0, 4, 7], &[0, 1, 2, 4, 1, 3, 2])));
    assert!(has(&file, b"\nCELL_TYPES 2\n\0\0\0\x0a\0\0\0\x05\nPOINT_DATA 5\n"));
    folder.succeed("evaluate f.vtk --method direct -o again.vtk");
    assert!(folder.read("again.vtk") == file);
}
