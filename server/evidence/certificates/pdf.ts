import { createHash } from 'node:crypto'
import { sealedText, sealMark, type CertificateFile } from '#contract/evidence/certificate-format.ts'
import { plainName } from '#contract/platform/text/text.ts'
import type { Services } from '#server/platform/http/services.ts'
import type { Keys } from '#server/platform/keys.ts'
import { logoFor } from '#server/documents/logo.ts'
import { makerOf } from '#server/documents/thread.ts'
import { certificateSigner } from './issue.ts'
import type { StoredCertificate } from './queries.ts'
import type { Sheet } from './sheet.ts'

const draw = makerOf<Sheet>({
  file: new URL('pdf-worker.ts', import.meta.url),
  waitingAtMost: 50,
  maxMegabytes: 256,
})

/** Names the file after the person and the video, as far as plain letters can: `certificate-ada-lovelace-fire-safety-12`. */
export const fileName = ({ body: { person, video, number } }: CertificateFile): string =>
  ['certificate', plainName(person.name), plainName(video.title), number].filter(Boolean).join('-')

/**
 * Draws a certificate as a sealed PDF. Its last line signs the hash of all bytes before, so that the printed page cannot be changed either.
 */
export function drawn(services: Services, { file, logo, language }: StoredCertificate) {
  const { env, keys, log } = services
  return {
    name: `${fileName(file)}.pdf`,
    type: 'application/pdf',
    content: (async function* () {
      const verifyUrl = `${services.publicUrl()}/verify`
      const data = await draw(async () => ({
        file,
        logo: await logoFor(logo, log),
        product: env.productName,
        verifyUrl,
        language,
      }))
      yield data
      yield sealOf(keys, data, file)
    })(),
  }
}

function sealOf(keys: Keys, data: Uint8Array, file: CertificateFile): string {
  const pageHash = createHash('sha256').update(data).digest('hex')
  return `${sealMark}${certificateSigner(keys).sign(sealedText(file, pageHash)).toString('base64url')}\n`
}
