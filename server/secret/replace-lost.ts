import { rmSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'
import type { Database, Tx } from '../platform/db/client.ts'
import type { Env } from '../platform/env.ts'
import { givenKeys, givenSecrets, keysOf, readSecrets, secretFiles } from '../platform/keys.ts'
import { couldFit, fitOf } from './fit.ts'
import { endWithLost, isServed, sentencesOf, whatEnds } from './lost.ts'

const word = 'lost'

/**
 * In place of a secret that nobody has any more, the one that is given (by the configuration, or in its file), else a new one. Killed in
 * between, the new one lies in its file and does not fit yet: the same command goes on from there.
 */
export async function replaceLost(db: Database, env: Env): Promise<void> {
  const ending = await db.as('system', async (tx) => {
    await requireLost(tx, env)
    return sentencesOf(await whatEnds(tx))
  })
  console.log(`The secret of this installation is taken for lost. Look for it once more: a backup that brings its secret along has it.
What ends without it:
${ending.map((sentence) => `- ${sentence}\n`).join('')}- Backups that were made before: restoring one takes --foreign from now on.
What stays: passwords, passkeys, sessions, invitations, personal links in mails, viewing, certificates (their public keys are kept), the audit log.
`)
  await requireWord()
  const { present } = readSecrets(env)
  await db.as('system', async (tx) => {
    await requireLost(tx, env)
    await endWithLost(tx, keysOf(present))
  })
  if (!env.secretKey) rmSync(secretFiles(env).previous, { force: true })
  console.log(
    `${env.secretKey ? 'SECRET_KEY' : secretFiles(env).present} is the secret of this installation from now on: keep it with the backups${env.secretKeyPrevious ? ', and take SECRET_KEY_PREVIOUS away' : ''}. Start the program.`,
  )
}

async function requireLost(tx: Tx, env: Env): Promise<void> {
  if (await isServed(tx))
    throw new Error(
      'A process of this installation still uses the database. Stop all of them (and what pools their connections), then try again: nothing was changed.',
    )
  const { present, previous } = givenSecrets(env)
  if (present === undefined && previous !== undefined && (await fits(tx, { ...env, secretKey: previous }))) {
    const files = secretFiles(env)
    throw new Error(`Nothing is lost: ${files.previous} has the secret. Copy it to ${files.present}.`)
  }
  if (await fits(tx, env))
    throw new Error(
      'Nothing is lost: the secret fits this database. To change it, run the command without --lost. Nothing was changed.',
    )
}

async function fits(tx: Tx, env: Env): Promise<boolean> {
  const keys = givenKeys(env)
  const fit = await fitOf(tx, keys)
  return fit === 'fits' || (fit === 'unknown' && (await couldFit(tx, keys)))
}

async function requireWord(): Promise<void> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  lines.setPrompt(`Type “${word}” to go on: `)
  lines.prompt()
  for await (const line of lines) {
    lines.close()
    if (line.trim().toLowerCase() === word) return
    break
  }
  throw new Error('Nothing was changed.')
}
