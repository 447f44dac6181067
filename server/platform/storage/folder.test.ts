import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe } from 'vitest'
import { storeSuite } from '../../testing/store/store-suite.ts'
import { folderStore } from './folder.ts'

const root = await mkdtemp(path.join(os.tmpdir(), 'sendreel-folder-'))
const [one, other] = [folderStore(root), folderStore(root)]

afterAll(() => rm(root, { recursive: true, force: true }))

describe('a folder', () => {
  storeSuite(
    () => one,
    () => other,
  )
})
