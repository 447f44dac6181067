import { defaultPolicies } from '#contract/organizations.ts'
import { randomToken, sha256 } from '#server/keys.ts'
import { fillTraining } from '#server/testing/training.ts'
import { percentile, type Figure } from './figures.ts'
import { layGround, type Ground } from './ground.ts'
import { fire, requestOf } from './load.ts'
import { startProgram } from './program.ts'

const size = { people: 1_000, videos: 200 }
const rounds = 30
const warmUps = 5
/** Milliseconds that nineteen of twenty answers may take. */
const budget = 1_000

const questions = [
  { what: 'columns with their sums', path: '' },
  { what: '100 rows by name', path: '/people?limit=100' },
  { what: '100 rows, most overdue first', path: '/people?limit=100&sort=-overdue' },
  { what: '100 rows with something overdue', path: '/people?limit=100&state=overdue' },
]

/** The training matrix of a thousand people and two hundred videos, as its page asks for it. */
export async function training(): Promise<Figure[]> {
  const ground = await layGround()
  try {
    const { organizationId, token } = await seed(ground)
    const environment = { DATABASE_URL: ground.url, DATA_DIR: ground.dataDir, RUN: 'api' }
    const ours = await startProgram('server/main.ts', environment)
    const figures: Figure[] = []
    for (const { what, path } of questions) {
      const request = requestOf(`GET /api/organizations/${organizationId}/training${path}`, {
        authorization: `Bearer ${token}`,
      })
      const ask = (n: number) =>
        fire({ url: ours.url, connections: 1, requests: Array.from({ length: n }, () => request) })
      await ask(warmUps)
      const { latencies } = await ask(rounds)
      const line = { workload: 'training', unit: 'ms' } as const
      figures.push({ ...line, what: `${what}, median`, ours: percentile(latencies, 0.5) })
      const target = { of: 'figure', most: budget } as const
      figures.push({ ...line, what: `${what}, p95`, ours: percentile(latencies, 0.95), target })
    }
    await ours.stop()
    return figures
  } finally {
    await ground.close()
  }
}

async function seed(ground: Ground): Promise<{ organizationId: string; token: string }> {
  const token = `sr_${randomToken()}`
  const [made] = await ground.query<{ id: string }>(
    `with o as (insert into organizations (name, slug, policies) values ('Acme', 'acme', $1) returning id),
      u as (insert into users (organization_id, name, email, role) select id, 'Ada', 'ada@acme.test', 'admin' from o returning id),
      s as (insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr)
        select id, $2, now() + interval '1 day', now() + interval '1 day', now(), '{pwd}' from u)
    select id from o`,
    [defaultPolicies, sha256(token)],
  )
  const organizationId = made?.id ?? ''
  await fillTraining((text, values) => ground.query(text, values), { organizationId, ...size })
  return { organizationId, token }
}
