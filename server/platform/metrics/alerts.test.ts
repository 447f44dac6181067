import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { pino } from 'pino'
import { buildApp } from '../../app.ts'
import { readEnv } from '../env.ts'
import { aServer } from '../../testing/worlds.ts'

const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../../..', file), 'utf8')
const alerts = read('deploy/alerts.yaml')
const token = 'a token for the metrics'

/** The names of everything that is measured, as Prometheus keeps them. */
const measured = new Set(['up'])
const server = await aServer()
const env = readEnv({
  LOG_LEVEL: 'silent',
  DATA_DIR: server.services.env.dataDir,
  METRICS_TOKEN: token,
})
const app = await buildApp({ ...server.services, env }, pino({ level: 'silent' }))
const { body } = await app.inject({ url: '/metrics', headers: { authorization: `Bearer ${token}` } })
await app.close()
for (const [, name = '', type] of body.matchAll(/^# TYPE (\S+) (\S+)$/gm))
  for (const end of type === 'histogram' ? ['_bucket', '_sum', '_count'] : ['']) measured.add(name + end)

/** What stands behind `expr:`, in one line or in an indented block. */
const rules = alerts.split(/^ +- alert: /m).slice(1)
const expressionOf = (rule: string) =>
  /^ +expr: \|\n((?: {10,}.*\n)+)/m.exec(rule)?.[1] ?? /^ +expr: (.+)$/m.exec(rule)?.[1] ?? ''

type Panel = { title: string; type: string; targets?: { expr: string }[] }
const { panels } = JSON.parse(read('deploy/dashboard.json')) as { panels: Panel[] }
const charts = panels.filter(({ type }) => type !== 'row')

const words =
  /^(and|or|unless|sum|max|min|rate|increase|topk|histogram_quantile|time|by|on|le|without|group_left|ignoring)$/

/** Names in an expression that are neither words of the language nor labels. */
function namesIn(expression: string): string[] {
  const bare = expression
    .replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"/g, ' ')
    .replaceAll(/\b(by|on|without|ignoring)\s*\([^)]*\)/g, ' ')
  return [...bare.matchAll(/[a-z_]\w*/gi)].map(([name]) => name).filter((name) => !words.test(name))
}

const expressions = [
  ...rules.map((rule) => [rule.split('\n', 1)[0] ?? '', expressionOf(rule)] as const),
  ...charts.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
]

test('every metric that a rule or a chart names is in a real scrape', () => {
  expect(rules.length).toBeGreaterThan(10)
  expect(charts.length).toBeGreaterThan(15)
  for (const [title, expression] of expressions) {
    const names = namesIn(expression)
    expect(names.length, title).toBeGreaterThan(0)
    expect(
      names.filter((name) => !measured.has(name)),
      title,
    ).toEqual([])
  }
})

/** As GitHub makes addresses of headings. */
const addressOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} -]/gu, '')
    .replaceAll(' ', '-')

test('every alert says what is wrong and what to do, and leads to a heading that is there', () => {
  const headings = [...read('docs/operating.md').matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    addressOf(text),
  )
  for (const rule of rules) {
    expect(rule).toMatch(/^ +summary: (['"]).+\.\1$/m)
    expect(rule).toMatch(/^ +action: (['"]).+\.\1$/m)
    const [, anchor] = /^ +runbook: docs\/operating\.md#([\w-]+)$/m.exec(rule) ?? []
    expect(headings).toContain(anchor)
  }
})
