/** One way to make a line wrong. `change` gets the line without its indentation, and gives nothing where it does not apply. */
type Mutation = { kind: string; change: (line: string) => string | undefined }

const opposites: Record<string, string> = {
  '===': '!==',
  '!==': '===',
  '<=': '<',
  '>=': '>',
  '<': '<=',
  '>': '>=',
  '&&': '||',
  '||': '&&',
  true: 'false',
  false: 'true',
  '+': '-',
  '-': '+',
  desc: 'asc',
  asc: 'desc',
  'is null': 'is not null',
  'is not null': 'is null',
  'Math.min': 'Math.max',
  'Math.max': 'Math.min',
  '.some(': '.every(',
  '.every(': '.some(',
}

/** Numbers of these lines are about looks or about patience. */
const dull =
  /width|height|size|stroke|viewBox|delay|timeout|px|rem\b|ms\b|duration|margin|padding|radius|opacity|debounce|\b[xy]\d?=/i

export const mutations: Mutation[] = [
  { kind: 'comparison', change: opposite(/(?<= )(===|!==|<=|>=|<|>)(?= )/) },
  { kind: 'and, or', change: opposite(/(?<= )(&&|\|\|)(?= |$)/) },
  { kind: 'true, false', change: opposite(/\b(true|false)\b/) },
  { kind: 'off by one', change: opposite(/(?<= )([+-])(?= 1\b)/) },
  {
    kind: 'order, null, all',
    change: opposite(/\b(desc|asc|is null|is not null|Math\.m(?:in|ax))\b|\.(?:some|every)\(/),
  },
  { kind: 'number', change: (line) => (dull.test(line) ? undefined : otherNumber(line)) },
  {
    kind: 'condition turned',
    change: (line) => replaced(line, /\bif \((.+)\)(?= \{$| return\b| throw\b|$)/, 'if (!($1))'),
  },
  { kind: 'guard dropped', change: (line) => dropped(line, /^if \(.+\) (return|throw|continue)\b/) },
  { kind: 'statement dropped', change: (line) => dropped(line, /^(await |void )?[\w.]+\(.*\)$/) },
  { kind: 'SQL condition dropped', change: (line) => dropped(line, /^and [^`]+$/) },
  {
    kind: 'entry dropped',
    change: (line) => dropped(line, /^'[^']+',$/) ?? replaced(line, /\['[\w.-]+', /, '['),
  },
]

function opposite(pattern: RegExp) {
  return (line: string) => replaced(line, pattern, (found) => opposites[found] ?? found)
}

function otherNumber(line: string): string | undefined {
  const other = (found: string) => String(Number(found.replaceAll('_', '')) * 2 + 1)
  return replaced(line, /(?<![\w.#'"/-]|\?\? )\d[\d_]*(?![\w.%'"/-])/, other)
}

function replaced(
  line: string,
  pattern: RegExp,
  by: string | ((found: string) => string),
): string | undefined {
  const after = typeof by === 'string' ? line.replace(pattern, by) : line.replace(pattern, by)
  return after === line ? undefined : after
}

/** The whole line goes, if it is whole: what it opens it closes. */
function dropped(line: string, pattern: RegExp): string | undefined {
  const count = (marks: string) => line.split('').filter((mark) => marks.includes(mark)).length
  return pattern.test(line) && count('([{') === count(')]}') ? '' : undefined
}
