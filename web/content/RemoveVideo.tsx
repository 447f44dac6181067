import { useNavigate } from '@tanstack/react-router'
import { deleteVideo, listProjects, listVideos, searchVideos, type Video } from '#contract/videos/videos.ts'
import { attempt } from '#web/api/attempt.ts'
import { useChange } from '#web/api/query.ts'
import { paths } from '#web/paths.ts'
import { undoing } from '#web/lists/operations/undo.ts'
import { ConfirmDialog } from '#web/ui/ConfirmDialog.tsx'
import { toast } from '#web/ui/toasts.ts'
import { uploads } from './uploadStore.ts'

type Props = { video: Video; isOpen: boolean; onClose: () => void }

export function RemoveVideo({ video, isOpen, onClose }: Props) {
  const remove = useChange(deleteVideo, [listVideos, searchVideos, listProjects])
  const navigate = useNavigate()
  const confirm = () =>
    attempt(async () => {
      const { operationId } = await remove.mutateAsync({ params: { videoId: video.id } })
      for (const { key, videoId } of uploads.read()) if (videoId === video.id) uploads.remove(key)
      toast.success(`“${video.title}” is removed.`, operationId === null ? undefined : undoing(operationId))
      await navigate({ to: paths.content(), replace: true })
    })
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Remove “${video.title}”?`}
      confirmLabel="Remove video"
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>
        Nobody can watch it any more, also not through links that were sent.{' '}
        {video.state === 'uploading'
          ? 'What has arrived of its file is deleted.'
          : 'It can be brought back for 30 days; then its file is deleted.'}
      </p>
      <p>What people have watched so far stays in the reports.</p>
    </ConfirmDialog>
  )
}
