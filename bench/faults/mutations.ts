/** One way to make a line wrong: it gets the line without its indentation, and gives nothing where it does not apply. */
type Mutation = (line: string) => string | undefined

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
  // Comparisons, conditions, answers of yes or no, steps of one, orders and quantities turned into their opposite.
  opposite(/(?<= )(===|!==|<=|>=|<|>)(?= )/),
  opposite(/(?<= )(&&|\|\|)(?= |$)/),
  opposite(/\b(true|false)\b/),
  opposite(/(?<= )([+-])(?= 1\b)/),
  opposite(/\b(desc|asc|is null|is not null|Math\.m(?:in|ax))\b|\.(?:some|every)\(/),
  (line) => (dull.test(line) ? undefined : otherNumber(line)),
  (line) => replaced(line, /\bif \((.+)\)(?= \{$| return\b| throw\b|$)/, 'if (!($1))'),
  // Guards, statements, conditions of SQL and entries of lists left out.
  (line) => dropped(line, /^if \(.+\) (return|throw|continue)\b/),
  (line) => dropped(line, /^(await |void )?[\w.]+\(.*\)$/),
  (line) => dropped(line, /^and [^`]+$/),
  (line) => dropped(line, /^'[^']+',$/) ?? replaced(line, /\['[\w.-]+', /, '['),
]

function opposite(pattern: RegExp): Mutation {
  return (line) => replaced(line, pattern, (found) => opposites[found] ?? found)
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
