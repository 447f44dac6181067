import { expect } from '@playwright/test'
import { createOrganization } from '#contract/directory/organizations.ts'
import { readSpeech } from '#contract/videos/speech.ts'
import { whisperModel } from '#server/testing/media/whisper-model.ts'
import { newSuperadmin } from './client.ts'
import { axeFaults, fitsAcross, press } from './console.ts'
import { onProductOf, test } from './shared.ts'
import { readyVideo } from './upload.ts'

const withModel = onProductOf({
  WHISPER_MODEL: '/nowhere/ggml-base.bin',
  WHISPER_MODEL_SHA256: 'a'.repeat(64),
})

test('without a model the page of a video leads to how one is added', async ({ shared, open }) => {
  const client = await newSuperadmin(shared)
  const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Speech Ltd' } })
  const videoId = await readyVideo({ url: shared.url, client, organizationId }, { seconds: 2, width: 320 })
  const page = await open(client)
  await page.goto(`/content/${videoId}`)
  await page.getByRole('link', { name: 'Add a model for recognising speech' }).press('Enter')
  const section = page.getByRole('region', { name: 'Model for recognising speech' })
  await expect(section).toContainText('There is none yet.')
  const offered = page.getByRole('region', { name: 'Models to choose from' })
  await expect(offered.getByRole('link', { name: 'huggingface.co/ggerganov/whisper.cpp' })).toBeVisible()
  await expect(offered.getByRole('table')).toContainText('ggml-base.bin')
  expect(await axeFaults(page)).toEqual([])
  await fitsAcross(page)
})

test('a model is put in under Settings, and removed again', async ({ shared, open }) => {
  const client = await newSuperadmin(shared)
  const page = await open(client)
  await page.goto('/settings?tab=speech')
  const section = page.getByRole('region', { name: 'Model for recognising speech' })
  const choose = async (buffer: Buffer) => {
    const chooser = page.waitForEvent('filechooser')
    await section.getByRole('button', { name: 'Choose a model' }).press('Enter')
    await (await chooser).setFiles({ name: 'ggml-tiny.bin', mimeType: 'application/octet-stream', buffer })
  }
  await choose(Buffer.alloc(100, 'x'))
  await press(page, 'Send the model')
  await expect(section.getByRole('alert')).toContainText(
    'This file is no model in the format of whisper.cpp.',
  )
  await choose(whisperModel({ state: 96 }))
  expect(await axeFaults(page)).toEqual([])
  await press(page, 'Send the model')
  await expect(section.getByRole('button', { name: 'Choose another model' })).toBeVisible()
  await expect(section).toContainText('ggml-tiny')
  await press(page, 'Remove the model')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove the model' }).press('Enter')
  await expect(section).toContainText('There is none yet.')
})

withModel(
  'speech is asked for on the page of a video, which says why there is none',
  async ({ shared, open }) => {
    const client = await newSuperadmin(shared)
    const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Speech Ltd' } })
    const videoId = await readyVideo({ url: shared.url, client, organizationId }, { seconds: 2, width: 320 })
    const page = await open(client)
    await page.goto(`/content/${videoId}`)
    const section = page.getByRole('region', { name: 'Captions' })
    await section.getByRole('button', { name: 'Recognise speech' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Recognise speech' })
    await expect(dialog).toContainText('with the model ggml-base')
    await dialog.getByLabel('Language that is spoken').selectOption('de')
    expect(await axeFaults(page)).toEqual([])
    await press(page, 'Recognise')
    await expect(dialog).toHaveCount(0)
    // The file that this installation names is not there.
    await expect(section).toContainText('The model for recognising speech is not where it should be.')
    const { last } = await client.call(readSpeech, { params: { videoId } })
    expect(last).toMatchObject({ state: 'failed', failure: 'model_missing', language: 'de' })
    await expect(section.getByRole('button', { name: 'Try again' })).toBeVisible()
    expect(await axeFaults(page)).toEqual([])
    await fitsAcross(page)
    await page.goto('/settings?tab=speech')
    await expect(page.getByRole('region', { name: 'Model for recognising speech' })).toContainText(
      'is not there',
    )
  },
)
