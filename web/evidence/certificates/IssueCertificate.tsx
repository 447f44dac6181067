import { Button } from '@mantine/core'
import { IconCertificate } from '@tabler/icons-react'
import { issueCertificate, listCertificates } from '#contract/evidence/certificates.ts'
import { useChange } from '#web/api/query.ts'
import { attempt } from '#web/api/attempt.ts'
import { useSession } from '#web/session/useSession.ts'
import { toast } from '#web/ui/feedback/toasts.ts'
import { saveCertificate } from './save.ts'

type Props = { orgId: string; userId: string; videoId: string }

/** Issues a certificate of one person and one video, and hands it over as PDF. */
export function IssueCertificate({ orgId, userId, videoId }: Props) {
  const { issue, isBusy } = useIssue(orgId, userId)
  const { viewing } = useSession()
  if (viewing) return null
  return (
    <Button
      variant="default"
      loading={isBusy}
      leftSection={<IconCertificate size={16} aria-hidden />}
      onClick={() => void issue(videoId)}
    >
      Issue a certificate
    </Button>
  )
}

/** True once it was issued. What went wrong has been told by then. */
export function useIssue(orgId: string, userId: string) {
  const change = useChange(issueCertificate, [listCertificates])
  const issue = (videoId: string) =>
    attempt(async () => {
      const certificate = await change.mutateAsync({ params: { orgId, userId }, body: { videoId } })
      toast.success(`Certificate no. ${certificate.number} is issued.`)
      await saveCertificate({ orgId, userId, certificate, format: 'pdf' })
    })
  return { issue, isBusy: change.isPending }
}
