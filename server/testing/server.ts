import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { FastifyInstance, InjectOptions } from 'fastify'
import type { QueryResultRow } from 'pg'
import { pino } from 'pino'
import type { Body, EndpointDefinition, Reply } from '#contract/endpoint.ts'
import { addressOf } from '#contract/platform/calling.ts'
import type { Problem } from '#contract/platform/problem-details.ts'
import type { Role } from '#contract/roles.ts'
import { defaultPolicies } from '#contract/directory/organizations.ts'
import { buildApp } from '../app.ts'
import { connect } from '../platform/db/client.ts'
import { servingUrl } from '../platform/db/roles.ts'
import { readEnv } from '../platform/env.ts'
import { startJobs } from '../platform/jobs/queue.ts'
import { keysOf, randomToken, sha256 } from '../platform/keys.ts'
import type { Services } from '../platform/http/services.ts'
import { settleSecret } from '../secret/settle.ts'
import { openStorage } from '../platform/storage/storage.ts'
import { administer, withDatabase } from './setup.ts'
import { unique } from './unique.ts'

/** Of the installation that is tested: a process beside it on the same database needs the same. */
export const secret = 'a secret that only tests know, long enough'

type Headers = Record<string, string>
type Raw = { status: number; body: unknown; headers: Record<string, unknown> }
type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Send = (method: Method, url: string, more?: { body?: object; headers?: Headers }) => Promise<Raw>

type Input<E extends EndpointDefinition> = {
  params?: Record<string, string>
  query?: Record<string, string | number>
  body?: Body<E> & object
  headers?: Headers
}
/** `body` is the reply of the contract; with a status of 400 and more read `problem` instead. */
export type Answer<E extends EndpointDefinition> = {
  status: number
  body: Reply<E>
  problem: Problem | undefined
  headers: Record<string, unknown>
}
export type Call = <E extends EndpointDefinition>(endpoint: E, input?: Input<E>) => Promise<Answer<E>>

export type Person = {
  id: string
  email: string
  organizationId: string | null
  token: string
  send: Send
  call: Call
}

/** The real application on a fresh copy of the template database; nothing is faked. */
export type TestServer = {
  app: FastifyInstance
  services: Services
  /** Of the owner of the database, for what the program itself may not do. */
  ownerUrl: string
  /** The rows of a statement, of whatever organization they are. */
  query: <Row extends object = QueryResultRow>(text: string, values?: unknown[]) => Promise<Row[]>
  send: Send
  call: Call
  organization(name?: string): Promise<string>
  /** A signed-in person; without a role somebody who only receives. */
  person(role: Role | null, organizationId?: string | null): Promise<Person>
  close(): Promise<void>
}

/** `prepare` is called with the address of its owner before anybody connects to the new database. */
export async function startTestServer(
  environment: Record<string, string> = {},
  prepare?: (ownerUrl: string) => Promise<void>,
): Promise<TestServer> {
  const server = process.env['SENDREEL_TEST_SERVER'] ?? ''
  const name = `test_${randomBytes(6).toString('hex')}`
  await administer(server, `create database ${name} template ${process.env['SENDREEL_TEST_TEMPLATE']}`)
  const ownerUrl = withDatabase(server, name)
  await prepare?.(ownerUrl)
  const dataDir = await mkdtemp(path.join(os.tmpdir(), 'sendreel-data-'))
  const opened = await openTestServer({ ownerUrl, dataDir }, environment)
  return {
    ...opened,
    async close() {
      await opened.close()
      await administer(server, `drop database ${name} with (force)`)
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** On a database and a folder that are there already, and stay when it is closed. */
export async function openTestServer(
  { ownerUrl, dataDir }: { ownerUrl: string; dataDir: string },
  environment: Record<string, string> = {},
): Promise<TestServer> {
  const url = servingUrl(ownerUrl)
  const env = readEnv({ LOG_LEVEL: 'silent', UNDO_SECONDS: '0', DATA_DIR: dataDir, ...environment })
  const log = pino({ level: env.logLevel })
  const db = connect(url)
  const services: Services = {
    env,
    db,
    jobs: await startJobs(db, { supervise: false, log }),
    keys: keysOf(secret),
    storage: openStorage(env, db),
    log,
    publicUrl: () => 'http://localhost:3000',
  }
  await settleSecret(services.db, services.keys)
  const app = await buildApp(services, log)
  const send = sender(app)
  return {
    app,
    services,
    ownerUrl,
    query: async <Row extends object = QueryResultRow>(text: string, values: unknown[] = []) =>
      (await services.db.system.query<Row & QueryResultRow>(text, values)).rows,
    send,
    call: callerFor(send),
    organization: (title) => addOrganization(services, title),
    person: (role, organizationId) =>
      addPerson({ services, app, role, organizationId: organizationId ?? null }),
    async close() {
      await app.close()
      await services.jobs.stop(0)
      await services.storage.close()
      await services.db.close()
    },
  }
}

function sender(app: FastifyInstance, token?: string): Send {
  return async (method, url, more = {}) => {
    const options: InjectOptions = {
      method,
      url,
      headers: { ...(token ? { authorization: `Bearer ${token}` } : {}), ...more.headers },
      ...(more.body ? { payload: more.body } : {}),
    }
    const answer = await app.inject(options)
    const isJson = /[/+]json\b/.test(String(answer.headers['content-type']))
    const body: unknown = isJson && answer.body !== '' ? JSON.parse(answer.body) : answer.body
    return { status: answer.statusCode, body, headers: answer.headers }
  }
}

/** Calls an endpoint of the contract by its definition; the types of the answer come with it. */
export function callerFor(send: Send): Call {
  return async <E extends EndpointDefinition>(endpoint: E, input: Input<E> = {}) => {
    const answer = await send(endpoint.method, addressOf(endpoint, input), {
      ...(input.body ? { body: input.body } : {}),
      ...(input.headers ? { headers: input.headers } : {}),
    })
    const problem = answer.status >= 400 ? (answer.body as Problem) : undefined
    // What the server sends has been checked against the contract by the server itself.
    return { status: answer.status, body: answer.body as Reply<E>, problem, headers: answer.headers }
  }
}

let counter = 0

async function addOrganization({ db }: Services, title = 'Acme'): Promise<string> {
  counter += 1
  const inserted = await db.system.query<{ id: string }>(
    'insert into organizations (name, slug, policies) values ($1, $2, $3) returning id',
    [title, `org-${counter}-${unique()}`, defaultPolicies],
  )
  return inserted.rows[0]?.id ?? ''
}

type NewPerson = {
  services: Services
  app: FastifyInstance
  role: Role | null
  organizationId: string | null
}

async function addPerson({ services, app, role, organizationId }: NewPerson): Promise<Person> {
  counter += 1
  const email = `person-${counter}-${unique()}@example.test`
  const inserted = await services.db.system.query<{ id: string }>(
    'insert into users (organization_id, name, email, role) values ($1, $2, $3, $4) returning id',
    [organizationId, `Person ${counter}`, email, role],
  )
  const id = inserted.rows[0]?.id ?? ''
  const token = `sr_${randomToken()}`
  await services.db.system.query(
    `insert into sessions (user_id, token_hash, idle_expires_at, expires_at, reauthenticated_at, amr)
      values ($1, $2, now() + interval '1 hour', now() + interval '1 day', now(), '{pwd}')`,
    [id, sha256(token)],
  )
  const send = sender(app, token)
  return { id, email, organizationId, token, send, call: callerFor(send) }
}
