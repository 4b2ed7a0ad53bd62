//! Snapshots are read by programs of others: pynbody reads TIPSY and GADGET, VTK's own reader and meshio read VTK, numpy
//! reads NPZ.
//! Files that VTK, meshio and numpy write are read here.
//!
//! `FARFIELD_PYTHON` names a Python that has `pynbody`, `vtk`, `meshio` or all; without them these tests say so and pass.

use std::path::Path;
use std::process::Command;

use formats::{
    FieldTable, Selection, Snapshot, read_snapshot, read_stream, write_field_parts, write_snapshot,
};

/// Particles whose numbers f32 holds, of different masses.
fn snapshot() -> Snapshot {
    let vector = |i: u32, offset: f64| [0.25, -1.5, 3.0].map(|k| k * f64::from(i) + offset);
    Snapshot {
        time: 0.75,
        step: 12,
        positions: (0..50).map(|i| vector(i, 0.125)).collect(),
        velocities: (0..50).map(|i| vector(i, -8.0)).collect(),
        masses: (1..=50).map(|i| f64::from(i) / 64.0).collect(),
        ids: (0..50).rev().collect(),
    }
}

/// Sums that tell particles in the wrong order or column apart: Σ i (x + 2y + 4z), the same of velocities, Σ i m, Σ i id.
fn expected() -> [f64; 5] {
    let Snapshot { time, positions, velocities, masses, ids, .. } = snapshot();
    let weighted = |vectors: &[[f64; 3]]| -> f64 {
        let rows = vectors.iter().enumerate();
        rows.map(|(i, [x, y, z])| i as f64 * (x + 2.0 * y + 4.0 * z)).sum()
    };
    [
        time,
        weighted(&positions),
        weighted(&velocities),
        masses.iter().enumerate().map(|(i, m)| i as f64 * m).sum(),
        ids.iter().enumerate().map(|(i, &id)| i as f64 * id as f64).sum(),
    ]
}

const SUMS: &str = "
import sys, numpy as np
def tell(time, pos, vel, mass, ids):
    i = np.arange(len(mass), dtype='f8')
    pos, vel = (np.asarray(a, dtype='f8') @ [1., 2., 4.] for a in (pos, vel))
    sums = [float(time)] + [float((i * np.asarray(a, dtype='f8')).sum()) for a in (pos, vel, mass, ids)]
    print('sums', *map(repr, sums))
";

/// Runs a script on a file; `None` where Python or the package is missing.
fn python(package: &str, script: &str, path: &Path) -> Option<Vec<f64>> {
    let program = std::env::var("FARFIELD_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let has = Command::new(&program).args(["-c", &format!("import numpy, {package}")]).output();
    if !has.is_ok_and(|output| output.status.success()) {
        eprintln!(
            "SKIPPED: {program} has no {package}; install it and name Python in FARFIELD_PYTHON"
        );
        return None;
    }
    let script = format!("{SUMS}{script}");
    let output = Command::new(&program).args(["-c", &script]).arg(path).output().unwrap();
    let (stdout, stderr) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    let sums = stdout.lines().find_map(|line| line.strip_prefix("sums "));
    let sums = sums.unwrap_or_else(|| panic!("{stdout}{stderr}"));
    Some(sums.split(' ').map(|number| number.parse().unwrap()).collect())
}

fn compare(name: &str, package: &str, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write_snapshot(&path, &snapshot()).unwrap();
    if let Some(sums) = python(package, script, &path) {
        // Sums of 50 numbers with few digits are exact.
        assert_eq!(sums, expected(), "{name} by {package}");
    }
}

#[test]
fn pynbody_reads_gadget() {
    let script = "
import pynbody
s = pynbody.load(sys.argv[1])
assert type(s).__name__.startswith('Gadget'), type(s)
assert len(s) == len(s.dm) == 50
tell(s.header.time, s['pos'], s['vel'], s['mass'], s['iord'])
";
    compare("a.gadget", "pynbody", script);
}

#[test]
fn pynbody_reads_tipsy() {
    let script = "
import pynbody
s = pynbody.load(sys.argv[1])
assert type(s).__name__.startswith('Tipsy'), type(s)
assert len(s) == len(s.dm) == 50
tell(s._header_t, s['pos'], s['vel'], s['mass'], np.arange(49, -1, -1))
";
    compare("a.tipsy", "pynbody", script);
}

#[test]
fn vtk_reads_vtk() {
    let script = "
from vtkmodules.vtkIOLegacy import vtkUnstructuredGridReader
from vtkmodules.util.numpy_support import vtk_to_numpy as array
reader = vtkUnstructuredGridReader()
reader.SetFileName(sys.argv[1])
reader.ReadAllScalarsOn()
reader.ReadAllVectorsOn()
reader.Update()
data = reader.GetOutput()
assert data.GetNumberOfCells() == 50 and all(data.GetCellType(i) == 1 for i in range(50))
assert [data.GetCell(i).GetPointId(0) for i in range(50)] == list(range(50))
point = lambda name: array(data.GetPointData().GetArray(name))
field = lambda name: array(data.GetFieldData().GetArray(name))
assert field('CYCLE')[0] == 12
tell(field('TIME')[0], array(data.GetPoints().GetData()), point('velocity'), point('mass'), point('id'))
";
    compare("a.vtk", "vtk", script);
}

/// The polydata of a field has the cells that were read.
#[test]
fn vtk_reads_the_cells_of_a_surface() {
    let text = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET POLYDATA\nPOINTS 4 int\n\
        0 0 0 1 0 0 1 1 0 0 1 0\nVERTICES 1 2\n1 3\nLINES 1 4\n3 3 1 0\nPOLYGONS 2 9\n3 0 1 2\n4 0 1 2 3\n\
        POINT_DATA 4\nSCALARS q int\nLOOKUP_TABLE default\n1 2 3 4\n";
    let surface = read_stream(text.as_bytes(), &Selection::default()).unwrap();
    let mut field = FieldTable {
        positions: &surface.points.positions,
        charges: Some(&surface.points.charges),
        potential: &[0.5; 4],
        gradient: &[[0.25; 3]; 4],
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.vtk");
    write_field_parts(&path, &mut field, &surface.cells).unwrap();
    let script = "
from vtkmodules.vtkIOLegacy import vtkPolyDataReader
reader = vtkPolyDataReader()
reader.SetFileName(sys.argv[1])
reader.ReadAllScalarsOn()
reader.Update()
data = reader.GetOutput()
points = lambda cell: [cell.GetPointId(k) for k in range(cell.GetNumberOfPoints())]
cells = [points(data.GetCell(i)) for i in range(data.GetNumberOfCells())]
assert cells == [[3], [3, 1, 0], [0, 1, 2], [0, 1, 2, 3]], cells
charge = data.GetPointData().GetArray('charge')
print('sums', *(charge.GetValue(i) for i in range(4)))
";
    if let Some(charges) = python("vtk", script, &path) {
        assert_eq!(charges, surface.points.charges);
    }
}

#[test]
fn meshio_reads_vtk() {
    let script = "
import meshio
mesh = meshio.read(sys.argv[1])
assert len(mesh.cells) == 1 and mesh.cells[0].type == 'vertex'
assert (mesh.cells[0].data[:, 0] == np.arange(50)).all()
column = lambda name: mesh.point_data[name].reshape(50)
assert column('id').dtype.kind == 'u'
# meshio gives no time.
tell(0.75, mesh.points, mesh.point_data['velocity'], column('mass'), column('id'))
";
    compare("a.vtk", "meshio", script);
}

/// Reads what a script wrote from points 0, 1, 2 …, masses i / 2, velocities of ones and identity numbers from 9 down.
fn read_back(package: &str, script: &str) {
    let folder = tempfile::tempdir().unwrap();
    for form in ["binary", "ascii"] {
        let path = folder.path().join(format!("{form}.vtk"));
        let data = format!(
            "
n, binary = 10, '{form}' == 'binary'
points = np.arange(3. * n).reshape(n, 3)
velocity, mass, ids = np.ones((n, 3), 'f4'), np.arange(n) / 2, np.arange(n)[::-1].astype('i8')
{script}
print('sums', 0)
"
        );
        if python(package, &data, &path).is_some() {
            let snapshot = read_snapshot(&path).unwrap();
            let rows = |i: usize| [0.0, 1.0, 2.0].map(|k| 3.0 * i as f64 + k);
            assert_eq!(snapshot.positions, (0..10).map(rows).collect::<Vec<_>>(), "{form}");
            assert_eq!(snapshot.velocities, [[1.0; 3]; 10]);
            assert_eq!(snapshot.masses, (0..10).map(|i| f64::from(i) / 2.0).collect::<Vec<_>>());
            assert_eq!(snapshot.ids, (0..10).rev().collect::<Vec<u64>>());
        }
    }
}

#[test]
fn meshio_writes_what_is_read() {
    let script = "
import meshio
cells = [('vertex', np.arange(n).reshape(n, 1)), ('line', np.array([[0, 1], [2, 3]]))]
data = {'velocity': velocity, 'mass': mass, 'id': ids}
mesh = meshio.Mesh(points, cells, point_data=data, cell_data={'kind': [np.ones(n), np.zeros(2)]})
meshio.write(sys.argv[1], mesh, file_format='vtk', binary=binary)
";
    read_back("meshio", script);
}

#[test]
fn vtk_writes_what_is_read() {
    let script = "
from vtkmodules.vtkIOLegacy import vtkPolyDataWriter
from vtkmodules.vtkCommonDataModel import vtkPolyData, vtkCellArray
from vtkmodules.vtkCommonCore import vtkPoints
from vtkmodules.util.numpy_support import numpy_to_vtk as to_vtk
data, places, cells = vtkPolyData(), vtkPoints(), vtkCellArray()
places.SetData(to_vtk(points, deep=1))
data.SetPoints(places)
for i in range(n):
    cells.InsertNextCell(1, [i])
data.SetVerts(cells)
for name, array in [('velocity', velocity), ('mass', mass), ('id', ids)]:
    column = to_vtk(array, deep=1)
    column.SetName(name)
    data.GetPointData().AddArray(column)
writer = vtkPolyDataWriter()
writer.SetFileName(sys.argv[1])
writer.SetInputData(data)
writer.SetFileTypeToBinary() if binary else writer.SetFileTypeToASCII()
writer.Write()
";
    read_back("vtk", script);
}

#[test]
fn numpy_reads_npz() {
    let script = "
s = np.load(sys.argv[1])
assert s['step'] == 12 and s['step'].shape == s['time'].shape == ()
tell(s['time'], s['positions'], s['velocities'], s['masses'], s['ids'])
";
    compare("a.npz", "numpy", script);
}

#[test]
fn numpy_writes_what_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("b.npz");
    let script = "
n = 5
np.savez_compressed(sys.argv[1], positions=np.arange(15.).reshape(n, 3), velocities=np.ones((n, 3), 'f4'),
    masses=np.ones(n), ids=np.arange(n, dtype='i4'), time=np.float32(0.5), step=np.int64(3))
print('sums', 0)
";
    if python("numpy", script, &path).is_some() {
        let snapshot = read_snapshot(&path).unwrap();
        assert_eq!((snapshot.time, snapshot.step), (0.5, 3));
        assert_eq!(snapshot.positions[4], [12.0, 13.0, 14.0]);
        assert_eq!(
            (snapshot.velocities[4], snapshot.ids[4], snapshot.masses[4]),
            ([1.0; 3], 4, 1.0)
        );
    }
}
