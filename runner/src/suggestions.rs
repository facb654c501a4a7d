//! A name that nothing has, and the names that exist → the most similar ones, for "did you mean". Reads nothing.

/// Names that are suggested at most.
const MOST_SUGGESTIONS: usize = 3;

/// Names less similar than this (normalised Damerau-Levenshtein) are not suggested.
const ALIKE: f64 = 0.6;

/// Names that are less similar than the nearest one by more than this are not suggested beside it.
const NEARLY_AS_ALIKE: f64 = 0.15;

/// The names most similar to `wanted`, nearest first; equally similar ones by name. A name also counts by each of its
/// parts between `/`, `:` and spaces. Empty if none is similar.
pub fn similar_names<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let mut near: Vec<(f64, &str)> = (known.into_iter())
        .map(|name| (likeness(wanted, name), name))
        .filter(|(alike, name)| *alike >= ALIKE && *name != wanted)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(other.1)));
    near.dedup();
    let nearest = near.first().map_or(0.0, |(alike, _)| *alike);
    near.retain(|(alike, _)| nearest - alike <= NEARLY_AS_ALIKE);
    near.into_iter().take(MOST_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// ``did you mean `a` or `b`?`` with the most similar names; `None` if none is similar.
pub fn did_you_mean<'n>(wanted: &str, known: impl IntoIterator<Item = &'n str>) -> Option<String> {
    let near: Vec<String> = (similar_names(wanted, known).iter())
        .map(|name| format!("`{name}`"))
        .collect();
    (!near.is_empty()).then(|| format!("did you mean {}?", near.join(" or ")))
}

fn likeness(wanted: &str, name: &str) -> f64 {
    let parts = name.split(['/', ':', ' ']).filter(|part| !part.is_empty());
    parts
        .chain([name])
        .map(|part| strsim::normalized_damerau_levenshtein(wanted, part))
        .fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_names_come_first_and_others_not_at_all() {
        let known = ["parse/large", "parse/larger", "parse/small", "render"];
        assert_eq!(similar_names("parse/larg", known), ["parse/large", "parse/larger"]);
        assert_eq!(similar_names("smal", known), ["parse/small"], "by the last part");
        assert_eq!(similar_names("prase", ["parse Version", "render"]), ["parse Version"]);
        assert!(similar_names("quite-another-thing", known).is_empty());
    }

    #[test]
    fn suggestions_are_a_question_or_nothing() {
        assert_eq!(
            did_you_mean("rendr", ["render"]).as_deref(),
            Some("did you mean `render`?")
        );
        assert_eq!(did_you_mean("x", ["render"]), None);
    }
}
