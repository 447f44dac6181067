import { PageHead } from '#web/ui/PageHead.tsx'

export function VideoPage() {
  return <PageHead title="Video" />
}
