import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT } from './process.mjs'

const file = join(ROOT, '.cache/test-notes')

/** A command at whose end stands which tests were left out, and which passed at their second try only: the runners write it down. */
export function noted(command) {
  return async (args) => {
    rmSync(file, { force: true })
    mkdirSync(dirname(file), { recursive: true })
    process.env.TEST_NOTES = file
    try {
      await command(args)
    } finally {
      tell()
    }
  }
}

function tell() {
  const text = existsSync(file) ? readFileSync(file, 'utf8').trim() : ''
  const notes = [...new Set(text.split('\n'))].filter(Boolean)
  for (const note of notes) console.log(note)
  const count = (kind) => notes.filter((note) => note.startsWith(kind)).length
  console.log(`${count('left out')} tests were left out, ${count('flaky')} passed at their second try only.`)
}
