import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { listCertifiable } from '#contract/evidence/certificates.ts'
import type { User } from '#contract/directory/users.ts'
import { sentence } from '#web/api/errors.ts'
import { queryOf } from '#web/api/query.ts'
import { FormDialog } from '#web/ui/overlays/FormDialog.tsx'
import { formatDateTime } from '#web/ui/format.ts'
import { NativeChoice } from '#web/ui/fields/NativeChoice.tsx'
import { Bone } from '#web/ui/feedback/Skeletons.tsx'
import { useIssue } from './IssueCertificate.tsx'
import shapes from '#web/ui/look/shapes.module.css'

type Props = { orgId: string; user: User; onClose: () => void }

/** Which of the videos that somebody has watched a certificate is to be about. */
export function IssueDialog({ orgId, user, onClose }: Props) {
  const { data, error } = useQuery(queryOf(listCertifiable, { params: { orgId, userId: user.id } }))
  const { issue, isBusy } = useIssue(orgId, user.id)
  const [chosen, setChosen] = useState<string>()
  const videoId = chosen ?? data?.items[0]?.id
  const submit = async () => {
    if (videoId === undefined) return onClose()
    if (await issue(videoId)) onClose()
  }
  const isEmpty = data?.items.length === 0
  return (
    <FormDialog
      title={`Issue a certificate for ${user.name}`}
      submitLabel={isEmpty || error ? 'Close' : 'Issue and download'}
      isBusy={isBusy || (!data && !error)}
      onSubmit={submit}
      onClose={onClose}
    >
      {error && <p role="alert">{sentence(error)}</p>}
      {!data && !error && <Bone height={64} />}
      {isEmpty && <p>{user.name} has not watched any video yet, so there is nothing to certify.</p>}
      {data && !isEmpty && (
        <div className={shapes.stack}>
          <NativeChoice
            label="Video that they watched"
            data={data.items.map(({ id, title, lastAt, completedAt }) => ({
              value: id,
              label: `${title} (${completedAt ? 'completed' : `last watched ${formatDateTime(lastAt)}`})`,
            }))}
            value={videoId ?? ''}
            onChange={({ currentTarget: { value } }) => setChosen(value)}
          />
          <p className={shapes.hint}>
            It states name and email, the video and its version, the exact parts that were watched, and every
            session. While nothing has changed since the last one, that one is handed out again.
          </p>
        </div>
      )}
    </FormDialog>
  )
}
