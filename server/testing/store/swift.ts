import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3'
import { guard } from '../../platform/db/embedded/embedded-server.ts'
import { killGroup } from '../../platform/programs.ts'
import type { S3Place } from '../../platform/storage/s3.ts'
import { freePorts, untilListening } from '../ports.ts'

const daemons = ['object', 'container', 'account'] as const
const accessKeyId = 'test:tester'
const secretAccessKey = 'testing'

/** The store needs OpenStack Swift from Debian's packages. */
export const hasSwift = existsSync('/usr/bin/swift-proxy-server') && existsSync('/usr/bin/memcached')

export type Swift = {
  endpoint: string
  /** Makes a bucket and says where it is. */
  bucket(name: string): Promise<S3Place & { endpoint: string }>
  /** From now on, pages of that origin may read a bucket. */
  openTo(bucket: string, origin: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a real S3-compatible store in a folder of its own: OpenStack Swift with its S3 middleware, one replica, loopback only. */
export async function startSwift(): Promise<Swift> {
  const home = await mkdtemp(path.join(os.tmpdir(), 'sendreel-swift-'))
  await chmod(home, 0o755)
  const ports = await freePorts(daemons.length + 2)
  const [proxy = 0, cache = 0, ...own] = ports
  const etc = path.join(home, 'etc')
  await mkdir(path.join(home, 'node/d1'), { recursive: true })
  await mkdir(etc)
  await writeFile(path.join(etc, 'swift.conf'), clusterConfig)
  for (const [index, name] of daemons.entries()) {
    const port = own[index] ?? 0
    await writeFile(path.join(etc, `${name}.conf`), daemonConfig({ name, port, home }))
    await buildRing(etc, { name, port })
  }
  await writeFile(path.join(etc, 'proxy.conf'), proxyConfig({ port: proxy, cache, home }))
  const begin = (program: string, args: string[]) => {
    const child = spawn(program, args, { detached: true, stdio: 'ignore' })
    guard(child, { detached: true, group: true })
    return child
  }
  const children = [
    begin('memcached', ['-u', 'nobody', '-l', '127.0.0.1', '-p', String(cache)]),
    ...daemons.map((name) => begin(`swift-${name}-server`, [path.join(etc, `${name}.conf`)])),
    begin('swift-proxy-server', [path.join(etc, 'proxy.conf')]),
  ]
  const endpoint = `http://127.0.0.1:${proxy}`
  await Promise.all(ports.map(untilListening))
  return {
    endpoint,
    async bucket(name) {
      const region = 'us-east-1'
      const credentials = { accessKeyId, secretAccessKey }
      const client = new S3Client({ endpoint, region, forcePathStyle: true, credentials })
      await client.send(new CreateBucketCommand({ Bucket: name }))
      client.destroy()
      return { endpoint, bucket: name, prefix: '', region, isPathStyle: true, keys: credentials }
    },
    async openTo(bucket, origin) {
      const login = { 'X-Storage-User': accessKeyId, 'X-Storage-Pass': secretAccessKey }
      const { headers } = await fetch(`${endpoint}/auth/v1.0`, { headers: login })
      const answer = await fetch(`${headers.get('x-storage-url')}/${bucket}`, {
        method: 'POST',
        headers: {
          'X-Auth-Token': headers.get('x-auth-token') ?? '',
          'X-Container-Meta-Access-Control-Allow-Origin': origin,
        },
      })
      if (!answer.ok) throw new Error(`${bucket} was not opened to ${origin}: ${answer.status}`)
    },
    async stop() {
      for (const { pid } of children) killGroup(pid)
      await rm(home, { recursive: true, force: true, maxRetries: 10 })
    },
  }
}

const clusterConfig = `[swift-hash]
swift_hash_path_prefix = one
swift_hash_path_suffix = two
[storage-policy:0]
name = only
default = yes
`

const common = ({ port, home }: { port: number; home: string }) => `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 1
user = ${os.userInfo().username}
swift_dir = ${home}/etc
log_level = WARNING
`

const daemonConfig = ({ name, ...at }: { name: string; port: number; home: string }) => `${common(at)}
devices = ${at.home}/node
mount_check = false
[pipeline:main]
pipeline = ${name}-server
[app:${name}-server]
use = egg:swift#${name}
`

const filters = [
  'catch_errors',
  'proxy-logging',
  'cache',
  'listing_formats',
  'bulk',
  's3api',
  'tempauth',
  'slo',
  'dlo',
  'versioned_writes',
]

const optionsOf: Record<string, string> = {
  s3api: 'location = us-east-1\ndns_compliant_bucket_names = true\nallow_multipart_uploads = true\n',
  tempauth: `user_${accessKeyId.replace(':', '_')} = ${secretAccessKey} .admin\n`,
}

const proxyConfig = ({ cache, ...at }: { port: number; cache: number; home: string }) => `${common(at)}
[pipeline:main]
pipeline = ${filters.join(' ')} proxy-logging proxy-server
[app:proxy-server]
use = egg:swift#proxy
allow_account_management = true
account_autocreate = true
${filters
  .map((name) =>
    name === 'cache'
      ? `[filter:cache]\nuse = egg:swift#memcache\nmemcache_servers = 127.0.0.1:${cache}\n`
      : `[filter:${name}]\nuse = egg:swift#${name.replace('proxy-logging', 'proxy_logging')}\n${optionsOf[name] ?? ''}`,
  )
  .join('')}`

async function buildRing(etc: string, { name, port }: { name: string; port: number }): Promise<void> {
  const ring = (...args: string[]) =>
    promisify(execFile)('swift-ring-builder', [`${name}.builder`, ...args], { cwd: etc })
  await ring('create', '4', '1', '1')
  await ring('add', `r1z1-127.0.0.1:${port}/d1`, '100')
  await ring('rebalance')
}
