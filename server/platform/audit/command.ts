import path from 'node:path'
import { parseArgs } from 'node:util'
import { statementsOn } from '../db/client.ts'
import { sql } from '../db/sql.ts'
import { withDatabase } from '../db/with-database.ts'
import { readEnv } from '../env.ts'
import { databaseLinks, openFile, outsideChain } from './sources.ts'
import { cutFault, verifyChain, type Head, type Verdict } from './verify.ts'

/** `npm run verify-audit -- [file.jsonl] [--head seq:hash]`: exit code 0 when everything fits, 1 when something does not. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    args: process.argv.slice(2),
    options: { head: { type: 'string' } },
    allowPositionals: true,
  })
  const noted = values.head === undefined ? undefined : headFrom(values.head)
  const [file] = positionals
  const result = file === undefined ? await verifyDatabase(noted) : await verifyFile(whereIs(file), noted)
  tell(result)
  process.exitCode = result.fault === null ? 0 : 1
}

function headFrom(text: string): Head {
  const [, seq, hash] = /^(\d+):([0-9a-f]{8,64})$/i.exec(text) ?? []
  if (seq === undefined || hash === undefined)
    throw new Error('--head is a number and a hash as the console copies them, such as 4211:a81f02c4…')
  return { seq: Number(seq), hash: hash.toLowerCase() }
}

/** npm runs scripts in the project's directory, people name files from theirs. */
function whereIs(file: string): string {
  return path.resolve(process.env['INIT_CWD'] ?? process.cwd(), file)
}

type Result = Verdict & { waiting: number; note?: string }

async function verifyFile(file: string, noted: Head | undefined): Promise<Result> {
  const { head, links, outside } = await openFile(file)
  const verdict = await verifyChain(links, noted)
  const cut = head.complete ? cutFault(verdict, noted) : null
  const note = head.complete
    ? ''
    : 'This file is a selection: each entry fits its own link. That nothing between them is missing, only a complete export or the database can show.'
  return { ...verdict, fault: verdict.fault ?? outside.fault ?? cut, waiting: outside.waiting, note }
}

async function verifyDatabase(noted: Head | undefined): Promise<Result> {
  return withDatabase(readEnv(), async (db) => {
    const client = await db.system.connect()
    try {
      const tx = statementsOn(client)
      // All of it as it was at one moment, however long it takes; the transaction ends with the connection.
      await tx.execute(sql`begin isolation level repeatable read read only`)
      await tx.execute(sql`set local statement_timeout = 0`)
      const verdict = await verifyChain(databaseLinks(tx), noted)
      const { waiting, fault } = await outsideChain(tx)
      return { ...verdict, fault: verdict.fault ?? cutFault(verdict, noted) ?? fault, waiting }
    } finally {
      client.release(true)
    }
  })
}

function tell({ fault, links, erased, head, waiting, note }: Result): void {
  if (fault !== null) console.error(`BROKEN: ${fault}.`)
  const count = `${links} ${links === 1 ? 'entry' : 'entries'}`
  if (fault === null) console.log(`All is well: ${count}, every link fits.`)
  else console.error(`Up to there ${count} fit.`)
  if (erased > 0) console.log(`Erased details: ${erased}.`)
  if (waiting > 0) console.log(`Not sealed yet: ${waiting}.`)
  if (note) console.log(note)
  if (head) console.log(`Last link: ${head.seq}:${head.hash}`)
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error))
  process.exitCode = 1
})
