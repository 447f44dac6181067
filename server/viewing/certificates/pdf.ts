import { createHash } from 'node:crypto'
import { Worker } from 'node:worker_threads'
import { sealedText, sealMark, type CertificateFile } from '#contract/certificate-format.ts'
import { refuse } from '#server/errors.ts'
import type { Services } from '#server/http/services.ts'
import type { Keys } from '#server/keys.ts'
import { certificateSigner } from './issue.ts'
import { logoFor } from './logo.ts'
import type { Stored } from './queries.ts'
import type { Sheet } from './sheet.ts'

/** A certificate as PDF, sealed: its last line signs the hash of all bytes before, so that the printed page cannot be changed either. */
export function drawn(services: Services, { file, logo }: Stored) {
  const { env, keys } = services
  return {
    name: `certificate-${file.body.number}.pdf`,
    type: 'application/pdf',
    content: (async function* () {
      const verifyUrl = `${services.publicUrl()}/verify`
      const data = await draw({ file, logo: await logoFor(logo), product: env.productName, verifyUrl })
      yield data
      yield sealOf(keys, data, file)
    })(),
  }
}

function sealOf(keys: Keys, data: Uint8Array, file: CertificateFile): string {
  const pageHash = createHash('sha256').update(data).digest('hex')
  return `${sealMark}${certificateSigner(keys).sign(sealedText(file, pageHash)).toString('base64url')}\n`
}

type Answer = { data: Uint8Array } | { fault: string }
type Waiting = { sheet: Sheet; resolve: (data: Uint8Array) => void; reject: (error: Error) => void }

const waitingAtMost = 50
/** A thread that nobody has needed for so long is given back, with the fonts that it keeps. */
const idleMs = 60_000
const queue: Waiting[] = []
let worker: Worker | undefined
let busy: Waiting | undefined
let idle: NodeJS.Timeout | undefined

/** In a thread of its own: nobody else's request waits for a drawing. One at a time; refuses when too many wait. */
function draw(sheet: Sheet): Promise<Uint8Array> {
  if (queue.length >= waitingAtMost) throw refuse('too_many_requests', { retryAfter: 10 })
  return new Promise((resolve, reject) => {
    queue.push({ sheet, resolve, reject })
    next()
  })
}

function next(): void {
  if (busy) return
  busy = queue.shift()
  clearTimeout(idle)
  if (!busy) {
    idle = setTimeout(() => void worker?.terminate(), idleMs).unref()
    return
  }
  worker ??= startWorker()
  worker.ref()
  worker.postMessage(busy.sheet, [])
}

function startWorker(): Worker {
  const started = new Worker(new URL('pdf-worker.ts', import.meta.url))
  const finish = (settle: (one: Waiting) => void) => {
    const done = busy
    busy = undefined
    // An idle thread keeps no process alive.
    started.unref()
    if (done) settle(done)
    next()
  }
  started.on('message', (answer: Answer) =>
    finish(({ resolve, reject }) => {
      if ('data' in answer) resolve(answer.data)
      else reject(new Error(answer.fault))
    }),
  )
  started.on('error', (error) => finish(({ reject }) => reject(new Error(String(error)))))
  started.on('exit', () => {
    if (worker === started) worker = undefined
    finish(({ reject }) => reject(new Error('the drawing thread has ended')))
  })
  return started
}
