// GitHub's description of its API → the part that the client uses, written to the path given as the argument.
//
// Serving the whole takes Prism a minute. What is kept of requests is as it was, with one thing added: a body may hold
// no field that the description does not name, and the query must hold what the client is known to send, so that what
// is misspelt is refused. Of the answers, those headers are
// left out that lead away: to a further page, always, and to the host that artifacts are stored on.

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const PAGES = ['per_page', 'page'];

/** What the client asks: the query parameters that it sends, by path and method. */
const USED = {
  '/user': { get: [] },
  '/repos/{owner}/{repo}/actions/artifacts/{artifact_id}/{archive_format}': { get: [] },
  '/repos/{owner}/{repo}/actions/runs/{run_id}': { get: [] },
  '/repos/{owner}/{repo}/actions/runs/{run_id}/artifacts': { get: ['name', ...PAGES] },
  '/repos/{owner}/{repo}/check-runs': { post: [] },
  '/repos/{owner}/{repo}/check-runs/{check_run_id}': { patch: [] },
  '/repos/{owner}/{repo}/check-runs/{check_run_id}/annotations': { get: PAGES },
  '/repos/{owner}/{repo}/collaborators/{username}/permission': { get: [] },
  '/repos/{owner}/{repo}/commits/{commit_sha}/pulls': { get: PAGES },
  '/repos/{owner}/{repo}/commits/{ref}/check-runs': { get: ['check_name', 'filter', ...PAGES] },
  '/repos/{owner}/{repo}/issues/comments/{comment_id}': { get: [], patch: [] },
  '/repos/{owner}/{repo}/issues/{issue_number}/comments': { get: PAGES, post: [] },
  '/repos/{owner}/{repo}/pulls': { get: ['state', 'head', ...PAGES] },
  '/repos/{owner}/{repo}/pulls/{pull_number}': { get: [] },
};

/** Examples of answers that contradict their own description, so that Prism would not give them. */
const UNTRUE_EXAMPLES = [
  '/repos/{owner}/{repo}/collaborators/{username}/permission',
  '/repos/{owner}/{repo}/commits/{commit_sha}/pulls',
  '/repos/{owner}/{repo}/pulls',
  '/repos/{owner}/{repo}/pulls/{pull_number}',
];

const require = createRequire(import.meta.url);
const file = require.resolve('@octokit/openapi/generated/api.github.com.json');
const whole = JSON.parse(readFileSync(file, 'utf8'));

/** The value that a reference within the description names. */
function named(reference) {
  const steps = reference.slice('#/'.length).split('/');
  return steps.reduce((value, step) => value[step.replaceAll('~1', '/').replaceAll('~0', '~')], whole);
}

/** Copies what `value` refers to into `part`, and what that refers to. */
function keep(value, part) {
  if (value === null || typeof value !== 'object') return;
  if (typeof value.$ref === 'string') {
    const steps = value.$ref.slice('#/'.length).split('/');
    const last = steps.pop();
    const place = steps.reduce((folder, step) => (folder[step] ??= {}), part);
    if (!(last in place)) {
      place[last] = named(value.$ref);
      keep(place[last], part);
    }
  }
  Object.values(value).forEach((inner) => keep(inner, part));
}

/** Forbids fields without a name in the description. Alternatives only add to the fields around them. */
function close(schema) {
  if (schema === null || typeof schema !== 'object') return;
  if (schema.properties) {
    schema.additionalProperties ??= false;
    Object.values(schema.properties).forEach(close);
  }
  close(schema.items);
}

/** Makes query parameters obligatory: left out, or under another name, they are missed. */
function demand(operation, names, where) {
  const parameters = (operation.parameters ?? []).map((one) => (one.$ref ? named(one.$ref) : one));
  for (const name of names) {
    if (!parameters.some((one) => one.in === 'query' && one.name === name)) {
      throw new Error(`GitHub's description of ${where} has no parameter ${name}`);
    }
  }
  const demanded = (one) => one.in === 'query' && names.includes(one.name);
  operation.parameters = parameters.map((one) => (demanded(one) ? { ...one, required: true } : one));
}

/** Answers without the headers that lead away, and without examples that are none. */
function answers(responses, path) {
  for (const [status, response] of Object.entries(responses)) {
    const { headers, ...rest } = response;
    responses[status] = rest;
    if (!UNTRUE_EXAMPLES.includes(path)) continue;
    for (const content of Object.values(rest.content ?? {})) delete content.examples;
  }
}

const part = { openapi: whole.openapi, info: whole.info, paths: {} };
for (const [path, methods] of Object.entries(USED)) {
  const all = whole.paths[path];
  if (!all) throw new Error(`GitHub's description has no path ${path}`);
  part.paths[path] = {};
  for (const [method, query] of Object.entries(methods)) {
    const operation = all[method];
    if (!operation) throw new Error(`GitHub's description has no ${method} ${path}`);
    // Asynchronous notices of GitHub, which nobody here receives.
    delete operation.callbacks;
    const body = operation.requestBody?.content['application/json']?.schema;
    if (body?.$ref) throw new Error(`the body of ${method} ${path} is a reference, which can't be closed`);
    close(body);
    demand(operation, query, `${method} ${path}`);
    answers(operation.responses, path);
    part.paths[path][method] = operation;
  }
  if (all.parameters) part.paths[path].parameters = all.parameters;
  keep(part.paths[path], part);
}
writeFileSync(process.argv[2], JSON.stringify(part));
