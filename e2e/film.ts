import { createOrganization } from '#contract/directory/organizations.ts'
import { updateVideo } from '#contract/videos/videos.ts'
import { newSuperadmin, type Client } from './client.ts'
import type { Product } from './product.ts'
import { readyVideo } from './upload.ts'

export type Film = { client: Client; videoId: string }

/** Twenty seconds with sound, for whoever has the link. Its conversion takes long, so it is there once for all tests of a file. */
export async function aFilm(product: Product, title: string): Promise<Film> {
  const client = await newSuperadmin(product)
  const { id: organizationId } = await client.call(createOrganization, { body: { name: 'Words Ltd' } })
  const videoId = await readyVideo({ url: product.url, client, organizationId }, { seconds: 20, width: 640 })
  await client.call(updateVideo, { params: { videoId }, body: { title, privacy: 'link' } })
  return { client, videoId }
}
