import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import * as z from 'zod/mini'
import { withoutOwn } from './npm.ts'

const Advisory = z.object({ name: z.string(), severity: z.string(), title: z.string(), url: z.string() })
type Advisory = z.infer<typeof Advisory>

/** What npm answers. `via` names a package where it is affected by that one only, which is listed itself. */
const Report = z.object({
  vulnerabilities: z.record(z.string(), z.object({ via: z.array(z.union([z.string(), Advisory])) })),
  metadata: z.object({
    vulnerabilities: z.record(z.string(), z.number()),
    dependencies: z.object({ prod: z.number() }),
  }),
})
const Refusal = z.object({ message: z.string() })

export type Audit = {
  /** `silent`: the registry does not answer such questions, or not now. */
  outcome: 'silent' | 'fine' | 'found'
  /** For people, one or more lines. */
  text: string
}

/** A registry that takes the question and is silent is waited for a minute. */
const patience = ['--fetch-retries=0', '--fetch-timeout=60000']
const grave = new Set(['high', 'critical'])

/** Asks the registry, by npm, what is known about the packages of production in the lock file of this folder. */
export async function audit(root: string): Promise<Audit> {
  const asked = spawn('npm', ['audit', '--omit=dev', '--json', ...patience], {
    cwd: root,
    env: withoutOwn(process.env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [said, complaint] = await Promise.all([text(asked.stdout), text(asked.stderr), once(asked, 'close')])
  const answer = jsonOf(said)
  const report = Report.safeParse(answer)
  if (report.success) return judge(report.data)
  const refusal = Refusal.safeParse(answer)
  // Anything else is a fault of what was asked, and no silence of the registry.
  if (!refusal.success) throw new Error(`npm could not audit the packages: ${complaint.trim() || said}`)
  return {
    outcome: 'silent',
    text: `No advisory was checked: the registry gave no answer (${refusal.data.message})`,
  }
}

function judge({ vulnerabilities, metadata }: z.infer<typeof Report>): Audit {
  const found = Object.values(vulnerabilities)
    .flatMap(({ via }) => via)
    .filter((one) => typeof one !== 'string')
    .filter(({ severity }) => grave.has(severity))
  const lines = [...new Set(found.map(lineOf))]
  if (lines.length > 0)
    return { outcome: 'found', text: ['Known faults of packages of production:', ...lines].join('\n') }
  const { low = 0, moderate = 0 } = metadata.vulnerabilities
  // npm counts the project itself.
  const packages = metadata.dependencies.prod - 1
  return {
    outcome: 'fine',
    text: `${packages} packages of production were audited: nothing high or critical is known, ${moderate} moderate, ${low} low.`,
  }
}

const lineOf = ({ name, severity, title, url }: Advisory) => `  ${name} (${severity}): ${title} ${url}`

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
