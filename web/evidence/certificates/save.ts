import { downloadCertificate, type Certificate } from '#contract/certificates.ts'
import { fetchFile } from '#web/api/client.ts'
import { sentence } from '#web/api/errors.ts'
import { offer } from '#web/ui/download.ts'
import { toast } from '#web/ui/toasts.ts'

type Wanted = { orgId: string; userId: string; certificate: Certificate; format: 'pdf' | 'json' }

/** Fetches a certificate and lets the browser save it. */
export async function saveCertificate({ orgId, userId, certificate, format }: Wanted): Promise<void> {
  const params = { orgId, userId, certificateId: certificate.id }
  try {
    offer(
      await fetchFile(downloadCertificate, { params, query: { format } }),
      `certificate-${certificate.number}.${format}`,
    )
  } catch (error) {
    toast.failure(sentence(error))
  }
}
