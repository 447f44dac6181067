import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ConfigMap, Container, PodSpec } from 'kubernetes-types/core/v1.d.ts'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { knownNames } from '#server/platform/settings.ts'

const root = path.resolve(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(root, 'deploy', name), 'utf8')
const { version } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { version: string }

type Manifest = {
  apiVersion: string
  kind: string
  metadata: { name: string }
  spec?: { template?: { spec?: PodSpec } }
}
const documents = parseAllDocuments(read('kubernetes.yaml'))
const manifests = documents.map((one) => one.toJS() as Manifest)
const pods = manifests.flatMap(({ kind, metadata, spec }) =>
  spec?.template?.spec ? [{ what: `${kind} ${metadata.name}`, pod: spec.template.spec }] : [],
)
const containers = pods.flatMap(({ pod }) => pod.containers)

test(
  'every manifest is of its kind, and has no field that this kind does not know',
  { timeout: 60_000 },
  () => {
    expect(documents.flatMap(({ errors, warnings }) => errors.concat(warnings))).toEqual([])
    // The compiler compares them with the types that are made from the API of Kubernetes.
    const folder = path.join(root, '.cache', `manifests-${process.pid}`)
    mkdirSync(folder, { recursive: true })
    try {
      const lines = manifests.flatMap((manifest, n) => {
        const group = manifest.apiVersion === 'v1' ? 'core/v1' : manifest.apiVersion.replace('.k8s.io', '')
        return [
          `import type { ${manifest.kind} as Kind${n} } from 'kubernetes-types/${group}.d.ts'`,
          `export const manifest${n}: Kind${n} = ${JSON.stringify(manifest)}`,
        ]
      })
      const file = path.join(folder, 'manifests.ts')
      const compiled = (text: string) => {
        writeFileSync(file, text)
        const options = ['--noEmit', '--strict', '--skipLibCheck', '--ignoreConfig', '--types', '']
        const modules = [
          '--module',
          'esnext',
          '--moduleResolution',
          'bundler',
          '--allowImportingTsExtensions',
        ]
        const tsc = path.join(root, 'node_modules/typescript/bin/tsc')
        return spawnSync(process.execPath, [tsc, ...options, ...modules, file], { encoding: 'utf8' }).stdout
      }
      expect(compiled(lines.join('\n'))).toBe('')
      expect(compiled(lines.join('\n').replace('"replicas":2', '"replica":2'))).toContain(
        '"replica"\' does not exist',
      )
    } finally {
      rmSync(folder, { recursive: true })
    }
  },
)

const isKnown = (name: string) => knownNames.has(name) || knownNames.has(name.replace(/_FILE$/, ''))

test('settings are those that the program knows', () => {
  const maps = manifests.filter(({ kind }) => kind === 'ConfigMap') as unknown as ConfigMap[]
  const compose = parse(read('several/compose.yaml'), { merge: true }) as {
    services: Record<string, { image: string; environment?: Record<string, string> }>
  }
  const ours = Object.values(compose.services).filter(({ image }) => image.startsWith('sendreel:'))
  const unit = read('several/sendreel@.service')
  const names = [
    ...maps.flatMap(({ data = {} }) => Object.keys(data)),
    ...containers.flatMap(({ env = [] }: Container) => env.map(({ name }) => name)),
    ...ours.flatMap(({ environment = {} }) => Object.keys(environment)),
    ...(/^Environment=(.*)$/m.exec(unit)?.[1] ?? '').split(' ').map((one) => one.split('=')[0] ?? ''),
    ...(read('several/compose.yaml').match(/\b(?:S3|SMTP)_[A-Z_]+/g) ?? []),
  ]
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !isKnown(name))).toEqual([])
  expect(ours).toHaveLength(4)
})

test('every pod may do nothing that it need not, and says what it needs', () => {
  expect(pods.map(({ what }) => what)).toEqual([
    'Job sendreel-migrate',
    'Deployment sendreel-api',
    'Deployment sendreel-worker',
    'Deployment sendreel-media',
  ])
  for (const { what, pod } of pods) {
    expect([what, pod.securityContext]).toEqual([
      what,
      {
        runAsNonRoot: true,
        runAsUser: 10001,
        runAsGroup: 10001,
        fsGroup: 10001,
        seccompProfile: { type: 'RuntimeDefault' },
      },
    ])
    expect([what, pod.automountServiceAccountToken]).toEqual([what, false])
    const mounted = new Set(pod.volumes?.map(({ name }) => name))
    for (const one of pod.containers) {
      expect(one.image).toBe(`sendreel:${version}`)
      expect(one.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
      expect(Object.keys(one.resources?.requests ?? {})).toEqual(['cpu', 'memory'])
      expect(one.resources?.limits).toHaveProperty('memory')
      expect(one.volumeMounts?.every(({ name }) => mounted.has(name))).toBe(true)
    }
  }
})

test('a process has time to say that it leaves and to end what it has in hand', () => {
  const [settings] = manifests.filter(({ kind }) => kind === 'ConfigMap') as unknown as ConfigMap[]
  const drain = Number(settings?.data?.['DRAIN_SECONDS'])
  for (const { pod } of pods.slice(1))
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(drain + 60)
  const probe = containers.find(({ readinessProbe }) => readinessProbe)?.readinessProbe
  expect((probe?.periodSeconds ?? 10) * (probe?.failureThreshold ?? 3)).toBeLessThan(drain)
})

test('a process among several is guarded as the one of a single machine is', () => {
  const rules = (name: string) =>
    read(name)
      .split('\n')
      .filter(
        (line) => /^[A-Z]\w+=/.test(line) && !/^(Description|Environment\w*|StateDirectory)=/.test(line),
      )
  expect(rules('several/sendreel@.service')).toEqual(rules('sendreel.service'))
})
