import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { noVulkan } from '../../testing/media/no-vulkan.ts'
import { whisperModel } from '../../testing/media/whisper-model.ts'
import { readCaptionFile } from '../captions/read.ts'
import { bringModel, checkModel, readModelFile } from '../../media/speech/model-file.ts'
import { readModelHead } from '../../media/speech/model-head.ts'
import { withoutOddCues } from '../../media/speech/transcribe.ts'

const folder = await mkdtemp(path.join(os.tmpdir(), 'sendreel-models-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const file = path.join(folder, 'ggml-tiny.bin')
const bytes = whisperModel({ state: 8 })
await writeFile(file, bytes)
const sha256 = createHash('sha256').update(bytes).digest('hex')
const read = () => readModelFile(file)
const openFolder = () => mkdtemp(path.join(folder, 'copies-'))

test('a model is brought to whoever needs it, by one copy', async () => {
  const [one, other] = ['one', 'other'].map((name) => path.join(folder, name))
  await bringModel({ sha256, read }, { openFolder, target: one ?? '' })
  await bringModel({ sha256, read }, { openFolder, target: other ?? '' })
  expect((await readFile(one ?? '')).equals(bytes)).toBe(true)
  expect((await stat(one ?? '')).ino).toBe((await stat(other ?? '')).ino)
})

test('a model that is another one, or not there, is not used', async () => {
  const target = path.join(folder, 'never')
  const wrong = { file, sha256: 'a'.repeat(64) }
  await expect(bringModel({ ...wrong, read }, { openFolder, target })).rejects.toMatchObject({
    code: 'model_altered',
  })
  await expect(checkModel(wrong)).rejects.toMatchObject({ code: 'model_altered' })
  const gone = { file: path.join(folder, 'gone.bin'), sha256: 'b'.repeat(64) }
  await expect(
    bringModel({ ...gone, read: () => readModelFile(gone.file) }, { openFolder, target }),
  ).rejects.toMatchObject({ code: 'model_missing' })
  await expect(checkModel(gone)).rejects.toMatchObject({ code: 'model_missing' })
  await expect(checkModel({ file, sha256 })).resolves.toBeUndefined()
})

test('a model says itself what it is', () => {
  expect(readModelHead(bytes)).toEqual({ isEnglishOnly: false })
  expect(readModelHead(whisperModel({ state: 8, vocabulary: 51_864 }))).toEqual({ isEnglishOnly: true })
  expect(readModelHead(Buffer.from('GGUF and more bytes than a head of a model has, 48'))).toBeUndefined()
  expect(readModelHead(Buffer.from('lmgg'))).toBeUndefined()
})

test('captions of no length are left out, and the others read as those of any file', async () => {
  const written =
    '0\n00:00:00,000 --> 00:00:02,000\nWash your hands.\n\n1\n00:00:02,000 --> 00:00:02,000\nThen\n\n2\n00:00:02,000 --> 00:00:05,500\nThen dry them.\n\n'
  const { cues } = await readCaptionFile(Buffer.from(withoutOddCues(written)), 'srt')
  expect(cues).toMatchObject([
    { startMs: 0, endMs: 2_000, text: 'Wash your hands.' },
    { startMs: 2_000, endMs: 5_500, text: 'Then dry them.' },
  ])
})

test('what stands for a graphics card is what its description makes', async () => {
  for (const arch of ['x64', 'arm64'] as const) {
    const kept = await readFile(
      path.join(import.meta.dirname, `../../media/speech/linux-${arch}/libvulkan.so.1`),
    )
    expect(kept.equals(noVulkan(arch))).toBe(true)
  }
})
