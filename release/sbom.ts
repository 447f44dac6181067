import { createHash } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import * as z from 'zod/mini'
import type { Bundled } from './licences.ts'
import { npm } from './npm.ts'
import { git } from './ready.ts'

const Bill = z.looseObject({
  serialNumber: z.string(),
  metadata: z.looseObject({ timestamp: z.string(), component: z.looseObject({ name: z.string() }) }),
  components: z.array(z.looseObject({ 'bom-ref': z.string() })),
})

type Place = { root: string; folder: string; bundled: Bundled }

/**
 * The bill of materials that npm makes of what is installed, and what the web app is made of beside it. Its time is that of the commit
 * and its number follows from its content, so that the same commit gives the same file.
 */
export function writeBill({ root, folder, bundled }: Place): void {
  const bill = Bill.parse(
    JSON.parse(npm(folder, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application')),
  )
  const there = new Set(bill.components.map((one) => one['bom-ref']))
  const inside = bundled
    .map(({ name, version, identifier }) => ({
      'bom-ref': `${name}@${version}`,
      type: 'library',
      name,
      version,
      purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
      properties: [{ name: 'sendreel:part', value: 'web app' }],
      licenses: [{ expression: identifier }],
    }))
    .filter((one) => !there.has(one['bom-ref']))
  bill.components.push(...inside)
  // npm takes the name of the folder.
  bill.metadata.component.name = 'sendreel'
  bill.metadata.timestamp = new Date(Number(git(root, 'log', '-1', '--format=%ct')) * 1000).toISOString()
  bill.serialNumber = ''
  const hash = createHash('sha256').update(JSON.stringify(bill)).digest('hex')
  const uuid = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `5${hash.slice(13, 16)}`,
    `8${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  bill.serialNumber = `urn:uuid:${uuid.join('-')}`
  writeFileSync(path.join(folder, 'sbom.cdx.json'), `${JSON.stringify(bill, null, 1)}\n`)
}
