import { downloadCertificate, type Certificate } from '#contract/evidence/certificates.ts'
import { fetchFile } from '#web/api/client.ts'
import { attempt } from '#web/api/attempt.ts'
import { offer } from '#web/ui/browser/download.ts'

type CertificateFile = { orgId: string; userId: string; certificate: Certificate; format: 'pdf' | 'json' }

/** Fetches a certificate and lets the browser save it. */
export async function saveCertificate({
  orgId,
  userId,
  certificate,
  format,
}: CertificateFile): Promise<void> {
  const params = { orgId, userId, certificateId: certificate.id }
  await attempt(async () => {
    const file = await fetchFile(downloadCertificate, { params, query: { format } })
    offer(file, file.name)
  })
}
