//! A file that cannot be analysed and of which no function shows in a profile → the cost of the code that has it put in: a table
//! of numbers, or a symbolic link in place of a header.

use std::collections::BTreeSet;

use crate::cost::exposure::{cost_decided_by_file, everything};
use crate::cost::lito::BenchmarkPricer;
use crate::cost::scanned_files::ScannedFile;
use crate::languages::follows_declarations;
use crate::sources::file_name;

impl BenchmarkPricer<'_> {
    /// The cost of the functions in the files that put a file in, themselves or through others. It is everything where the build
    /// read the file and nobody knows for which code.
    pub(super) fn of_including_files(&self, file: &str) -> f64 {
        if follows_declarations(file) || self.profile.files().any(|known| known == file) {
            return 0.0;
        }
        let files = &self.scene.scanned_files().files;
        let mut found = BTreeSet::from([file]);
        let mut waiting = vec![file];
        let mut cost: f64 = 0.0;
        while let Some(path) = waiting.pop() {
            let includes = |other: &&ScannedFile| other.is_of_benchmarks && names(other, path);
            for other in files.iter().filter(includes) {
                if found.insert(&other.path) {
                    cost = cost.max(cost_decided_by_file(&other.path, self.profile).cost);
                    waiting.push(&other.path);
                }
            }
        }
        let is_put_in = found.len() > 1;
        match !is_put_in && self.is_read_by_the_build(file) {
            true => everything(self.profile).cost,
            false => cost,
        }
    }

    fn is_read_by_the_build(&self, file: &str) -> bool {
        let record = self.scene.sample.inputs.of(&self.profile.profile().benchmark);
        let mut units = record.into_iter().flat_map(|record| &record.compiled.units);
        units.any(|unit| unit.files.contains(file))
    }
}

/// True if a source may put in a file of this name.
fn names(source: &ScannedFile, path: &str) -> bool {
    let mut declared = source.declared_files().iter();
    declared.any(|declared| file_name(declared) == file_name(path))
}
