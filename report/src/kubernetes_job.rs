//! The plan of `lito sample --plan` → an indexed job of Kubernetes (`batch/v1`): a pod for each machine that has something
//! to sample.
//!
//! A pod's first container builds and runs the repository's code, and has no secret. The second one has the token of the
//! store, and runs nothing but lito.

use serde_json::json;

use crate::sampling_plan::SamplingPlan;

/// Everything besides the plan that the job needs.
#[derive(Debug, Clone, Copy)]
pub struct KubernetesJobRequest<'a> {
    /// The name of the job: lower-case letters, digits and `-`.
    pub name: &'a str,
    /// The image, which has lito, git, valgrind and the toolchain.
    pub image: &'a str,
    /// The address that pods clone from and push the store to.
    pub remote: &'a str,
    /// The newest version of the range, as all digits of its commit.
    pub revision: &'a str,
    /// The length of the range.
    pub last: usize,
    /// Further options of `lito sample`.
    pub options: &'a [String],
}

/// Samples the pod's part, and leaves the exit code to the second container: what is finished is pushed even if a version
/// fails.
const SAMPLE: &str = r#"git clone --quiet "$REMOTE" repository
cd repository
git checkout --quiet --detach "$REVISION"
lito store fetch
shard=$(echo "$SHARDS" | cut -d " " -f $((JOB_COMPLETION_INDEX + 1)))
code=0
lito sample "$REVISION" --last "$LAST" --every "$EVERY" --shard "$shard" "$@" || code=$?
echo "$code" >../code
"#;

/// Pushes the samples.
const PUSH: &str = r#"cd repository
lito store push
exit "$(cat ../code)"
"#;

/// The manifest. JSON, which is YAML as well: `kubectl` takes both.
#[must_use]
pub fn manifest(plan: &SamplingPlan, request: KubernetesJobRequest<'_>) -> String {
    let pods = plan.matrix.shard.len();
    let variable = |name: &str, value: &str| json!({ "name": name, "value": value });
    let container = |name: &str, script: &str| {
        json!({
            "name": name,
            "image": request.image,
            "command": ["sh", "-euc", script, name],
            "workingDir": "/work",
            "volumeMounts": [{ "name": "work", "mountPath": "/work" }],
        })
    };
    let mut sample = container("sample", SAMPLE);
    // Kubernetes puts variables in the place of `$(NAME)`.
    let options = request.options.iter().map(|option| option.replace("$(", "$$("));
    sample["args"] = json!(options.collect::<Vec<_>>());
    sample["env"] = json!([
        variable("REMOTE", request.remote),
        variable("REVISION", request.revision),
        variable("LAST", &request.last.to_string()),
        variable("EVERY", &plan.every.to_string()),
        variable("SHARDS", &plan.matrix.shard.join(" ")),
        variable("LITO_CACHE", "/work/cache"),
    ]);
    // A build and its profiles: a compiler for a large crate, and a program under valgrind.
    sample["resources"] = json!({ "requests": { "cpu": "2", "memory": "4Gi" } });
    let mut push = container("push", PUSH);
    let token = json!({ "secretKeyRef": { "name": "lito-store", "key": "token", "optional": true } });
    push["env"] = json!([{ "name": "LITO_STORE_TOKEN", "valueFrom": token }]);
    let job = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": request.name, "labels": { "app.kubernetes.io/name": "lito" } },
        "spec": {
            "completionMode": "Indexed",
            "completions": pods,
            "parallelism": pods,
            // A pod whose machine fails is started again; another's failures do not stop it.
            "backoffLimitPerIndex": 3,
            "template": {
                "metadata": { "labels": { "app.kubernetes.io/name": "lito" } },
                "spec": {
                    "restartPolicy": "Never",
                    "automountServiceAccountToken": false,
                    "initContainers": [sample],
                    "containers": [push],
                    "volumes": [{ "name": "work", "emptyDir": {} }],
                },
            },
        },
    });
    let text = serde_json::to_string_pretty(&job).expect("strings, numbers and lists are always encoded");
    format!("{text}\n")
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::batch::v1::Job;
    use serde_json::Value;

    use super::*;
    use crate::sampling_plan::{SCHEMA, WorkflowMatrix};

    fn job() -> Value {
        let plan = SamplingPlan {
            schema: SCHEMA,
            every: 20,
            versions: Vec::new(),
            shards: Vec::new(),
            matrix: WorkflowMatrix {
                shard: vec!["1/4".to_owned(), "3/4".to_owned()],
            },
        };
        let text = manifest(
            &plan,
            KubernetesJobRequest {
                name: "lito-a",
                image: "registry.example/lito:1",
                remote: "https://git.example/a",
                revision: "0123",
                last: 400,
                options: &["--bench=a b$(touch c)".to_owned()],
            },
        );
        serde_json::from_str(&text).expect("it is JSON")
    }

    #[test]
    fn kubernetes_knows_each_field_of_the_job() {
        let written = job();
        let read: Job = serde_json::from_value(written.clone()).expect("it is a job");
        // Fields that the interface does not have are lost on the way.
        let again = serde_json::to_value(&read).expect("a job is JSON");
        assert_eq!(written, again);
    }

    #[test]
    fn a_pod_is_started_for_each_machine_with_something_to_do_and_only_the_push_has_the_token() {
        let job = job();
        assert_eq!(job["spec"]["completions"], 2);
        let pod = &job["spec"]["template"]["spec"];
        let sample = &pod["initContainers"][0];
        assert!(
            sample["env"]
                .as_array()
                .is_some_and(|env| env.contains(&json!({ "name": "SHARDS", "value": "1/4 3/4" })))
        );
        assert!(!sample.to_string().contains("LITO_STORE_TOKEN"));
        assert!(pod["containers"][0].to_string().contains("LITO_STORE_TOKEN"));
        assert_eq!(sample["args"], json!(["--bench=a b$$(touch c)"]));
    }
}
