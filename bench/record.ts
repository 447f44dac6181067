import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { rowsOf, type Figure } from './figures.ts'
import { workloads } from './workloads.ts'

/** What a machine was and did when a workload was measured; `busy`: percent of its processors, before it began. */
export type Conditions = { date: string; commit: string; machine: string; busy: number }

type Recorded = Conditions & { figures: Figure[] }
type Book = Record<string, Recorded>

const bookFile = path.join(import.meta.dirname, 'figures.json')
const readmeFile = path.join(import.meta.dirname, 'README.md')
/** Percent of all processors that other programs may use. */
const quiet = 5
const watchedMs = 3_000

/** Refuses where the figures would not be those of a commit, or not those of a quiet machine. */
export async function conditions(): Promise<Conditions> {
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: import.meta.dirname })
      .toString()
      .trim()
  const own = ['bench/figures.json', 'bench/README.md']
  const changed = git('status', '--porcelain')
    .split('\n')
    .filter((line) => line !== '' && !own.some((file) => line.endsWith(file)))
  if (changed.length > 0) throw new Error(`Only what is committed is recorded:\n${changed.join('\n')}`)
  const busy = await busyPercent()
  if (busy > quiet) throw new Error(`The machine is not quiet: other programs use ${busy} % of it.`)
  const machine = `${os.availableParallelism()} cores of ${os.cpus()[0]?.model.trim()}, Node.js ${process.version}`
  return {
    date: new Date().toISOString().slice(0, 10),
    commit: git('rev-parse', '--short=8', 'HEAD'),
    machine,
    busy,
  }
}

async function busyPercent(): Promise<number> {
  const before = ticks()
  await pause(watchedMs)
  const after = ticks()
  return Math.round((100 * (after.busy - before.busy)) / (after.all - before.all))
}

function ticks(): { busy: number; all: number } {
  const fields = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1]?.split(' ').map(Number) ?? []
  const all = fields.slice(0, 8).reduce((sum, one) => sum + one, 0)
  const [idle = 0, waiting = 0] = fields.slice(3, 5)
  return { busy: all - idle - waiting, all }
}

/** What this workload gave takes the place of what it gave before, in the book and in the README. */
export async function record(name: string, under: Conditions, figures: Figure[]): Promise<void> {
  const book = await readBook()
  book[name] = { ...under, figures }
  await writeFile(bookFile, `${JSON.stringify(book, null, 2)}\n`)
  const head = (await readFile(readmeFile, 'utf8')).split(mark)[0]
  await writeFile(readmeFile, `${head}${mark}\n\n${sections(book)}`)
}

export async function readBook(): Promise<Book> {
  return JSON.parse(await readFile(bookFile, 'utf8')) as Book
}

const mark = '<!-- From here on written by `npm run bench -- --record`. -->'

function sections(book: Book): string {
  const parts = workloads.map(({ name, how }) => [`## ${name}`, how, ...resultOf(book[name])].join('\n\n'))
  return `${parts.join('\n\n')}\n`
}

function resultOf(recorded: Recorded | undefined): string[] {
  if (!recorded) return ['Not measured on a quiet machine yet.']
  const { date, commit, machine, busy, figures } = recorded
  const rows = [...rowsOf(figures)].map((row) => Object.values(row))
  const widths = (rows[0] ?? []).map((_cell, n) => Math.max(...rows.map((row) => row[n]?.length ?? 0), 3))
  const line = (cells: string[]) => `| ${cells.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  const [head = [], ...body] = rows
  const table = [line(head), line(widths.map((width) => '-'.repeat(width))), ...body.map(line)].join('\n')
  return [`${date}, commit ${commit}; ${machine}; ${busy} % busy with other work.`, table]
}
