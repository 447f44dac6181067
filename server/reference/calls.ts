import { escapeHtml } from '#server/platform/http/pages/html.ts'
import { answerOf, schemaOf, scopeOf, shapeOf, type Call, type Description, type Schema } from './document.ts'
import { prose, rowsOf, shapesIn, tableOf, typeOf, wordsOf } from './shapes.ts'

const json = 'application/json'

/** Draws the calls of one subject, and below them the shapes that these send and answer. */
export function drawSubject(all: Description, subject: string, calls: readonly Call[]): string {
  const list = calls.map(
    ({ operationId, summary, method, path }) =>
      `<li><a href="#${operationId}">${prose(summary)}</a> ${addressOf(method, path)}</li>`,
  )
  return `<h1>${escapeHtml(subject)}</h1>
<ul class="calls">${list.join('')}</ul>
${calls.map((one) => drawCall(all, one)).join('\n')}
${drawShapes(all, calls.flatMap(schemasOf))}`
}

const addressOf = (method: string, path: string) =>
  `<span class="address"><b class="${method.toLowerCase()}">${method}</b> <code>${escapeHtml(`/api${path}`)}</code></span>`

function schemasOf({ requestBody, responses }: Call): Schema[] {
  const contents = [requestBody?.content, ...doneOf(responses).map(([, { content }]) => content)]
  return contents.flatMap((content) => content?.[json]?.schema ?? [])
}

const doneOf = (responses: Call['responses']) =>
  Object.entries(responses).filter(([status]) => status < '300')

function drawCall(all: Description, call: Call): string {
  const { operationId, summary, method, path } = call
  return `<section class="call" id="${operationId}" aria-labelledby="${operationId}-title">
<h2 id="${operationId}-title"><a href="#${operationId}">${prose(summary)}</a></h2>
<p>${addressOf(method, path)}</p>
<dl class="who"><div><dt>Who</dt><dd>${whoOf(call)}</dd></div><div><dt>Scope of a key</dt><dd>${needOf(call)}</dd></div><div><dt>Name</dt><dd><code>${operationId}</code></dd></div></dl>
${parametersOf(all, call)}${sentOf(all, call)}
<h3>Try it</h3>
<pre class="run" tabindex="0"><code>${escapeHtml(curlOf(call))}</code></pre>
${answersOf(all, call)}${refusalsOf(all, call)}
</section>`
}

const roleNames: Readonly<Record<string, string>> = {
  superadmin: 'superadmins',
  admin: 'administrators',
  groupadmin: 'group administrators',
}

function whoOf({ 'x-roles': roles }: Call): string {
  if (!roles) return 'anybody; the request itself says what it is about'
  return Object.keys(roleNames)
    .filter((role) => roles.includes(role))
    .map((role) => roleNames[role])
    .join(', ')
}

function needOf(call: Call): string {
  const scope = scopeOf(call)
  if (scope === 'public') return 'none is needed'
  return scope === 'person'
    ? 'none: this needs a person who is signed in'
    : `<code>${escapeHtml(scope)}</code>`
}

function parametersOf(all: Description, { parameters }: Call): string {
  const rows = parameters.map(({ name, in: place, required, description, schema }) => ({
    name,
    type: `${typeOf(all, schema)} <span class="place">in the ${place === 'header' ? 'headers' : place}</span>`,
    words: wordsOf(all, schema, description),
    isNeeded: required,
  }))
  return rows.length === 0 ? '' : `<h3>Parameters</h3>${tableOf(rows, 'Parameters')}`
}

function sentOf(all: Description, { requestBody }: Call): string {
  const { schema } = requestBody?.content[json] ?? {}
  if (!schema) return ''
  // Whoever is about to send something wants to see it here.
  const isShape = shapeOf(all, schema) !== undefined
  const name = isShape ? ` <small>${typeOf(all, schema)}</small>` : ''
  return `<h3>What is sent${name}</h3>${drawSchema(all, isShape ? schemaOf(all, schema) : schema, 'What is sent')}`
}

function drawSchema(all: Description, schema: Schema, caption: string): string {
  const rows = rowsOf(all, schema)
  return rows.length === 0 ? `<p>${typeOf(all, schema)}</p>` : tableOf(rows, caption)
}

function answersOf(all: Description, { responses }: Call): string {
  return doneOf(responses)
    .map(([status, { content }]) => {
      const { schema, example } = content?.[json] ?? {}
      if (!schema) return `<h3>The answer <small>${status}</small></h3><p>A file.</p>`
      return `<details><summary>The answer <small>${status}</small></summary>${drawSchema(all, schema, 'The answer')}${pretty(example)}</details>`
    })
    .join('')
}

/** What addresses of other systems are sent. */
export function drawEvents(all: Description): string {
  const events = Object.entries(all.webhooks).map(([type, { post }]) => {
    const { schema = {}, example } = post.requestBody.content[json] ?? {}
    return { type, summary: post.summary, schema, example }
  })
  const parts = events.map(({ type, summary, schema, example }) => {
    return `<section class="shape" id="${type}"><h2><a href="#${type}"><code>${type}</code></a></h2><p>${prose(summary)}.</p>${drawSchema(all, schema, type)}<details><summary>Example</summary>${pretty(example)}</details></section>`
  })
  return `<h1>Events</h1><p>What an address of yours can be sent as soon as it happens. <a href="/api/docs/react-when-somebody-has-completed-a-video">How an event is received and its signature checked</a> is a task of its own; <a href="/api/docs/event-addresses">these calls</a> name addresses, tell what was sent, and send a period again.</p>${parts.join('\n')}${drawShapes(
    all,
    events.map(({ schema }) => schema),
  )}`
}

const pretty = (example: unknown) =>
  example === undefined
    ? ''
    : `<pre tabindex="0"><code>${escapeHtml(JSON.stringify(example, null, 2))}</code></pre>`

function refusalsOf(all: Description, { responses }: Call): string {
  const told = Object.entries(responses)
    .filter(([status]) => status >= '400' && status !== 'default')
    .flatMap(([, answer]) => toldIn(all, answer))
  if (told.length === 0) return ''
  return `<details><summary>Refusals</summary><p>Beside those that <a href="/api/docs#refusals">every call has</a>:</p>${toldList(told)}</details>`
}

/** The problems of an answer, each with its status and its sentence. */
export function toldIn(all: Description, answer: Call['responses'][string]) {
  const { content = {} } = answerOf(all, answer)
  return Object.values(content).flatMap(({ examples = {} }) =>
    Object.values(examples).map(({ value }) => value),
  )
}

export function toldList(told: ReturnType<typeof toldIn>): string {
  const rows = told.map(
    ({ status, code, title }) =>
      `<div><dt><b>${status}</b> <code>${escapeHtml(code)}</code></dt><dd>${escapeHtml(title)}</dd></div>`,
  )
  return `<dl class="refusals">${rows.join('')}</dl>`
}

/** What these are made of, each once. */
function drawShapes(all: Description, schemas: readonly Schema[]): string {
  const names = shapesIn(all, schemas)
  if (names.length === 0) return ''
  return `<h2 id="docs-shapes">Shapes</h2>${names.map((name) => drawShape(all, name)).join('\n')}`
}

function drawShape(all: Description, name: string): string {
  const schema = all.components.schemas[name] ?? {}
  const words = schema.description === undefined ? '' : `<p>${prose(schema.description)}</p>`
  return `<section class="shape" id="${name}"><h3><a href="#${name}">${name}</a></h3>${words}${drawSchema(all, schema, name)}</section>`
}

/** Of a parameter: without an example it is the length of a page. */
const text = (example: unknown) => (typeof example === 'string' ? example : JSON.stringify(example ?? 100))

/** The call as somebody would type it: what stands in the address comes from variables of the shell. */
export function curlOf({ method, path, parameters, requestBody, responses }: Call): string {
  const asked = parameters.filter((one) => one.in === 'query' && (one.required || one.name === 'limit'))
  const query = asked.map(({ name, example }) => `${name}=${encodeURIComponent(text(example))}`)
  const address = `/api${path.replaceAll(/\{(\w+)\}/g, '$$$1')}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const isFile = doneOf(responses).some(([, { content = {} }]) => !(json in content))
  const example = requestBody?.content[json]?.example
  const lines = [
    `curl --fail-with-body -sS ${isFile ? '-OJ ' : ''}${method === 'GET' ? '' : `-X ${method} `}"$SENDREEL${address}"`,
    '-H "Authorization: Bearer $KEY"',
    ...(example === undefined
      ? []
      : [
          '-H "Content-Type: application/json"',
          `-d '${JSON.stringify(example, null, 2).replaceAll("'", String.raw`'\''`)}'`,
        ]),
  ]
  return lines.join(' \\\n  ')
}
