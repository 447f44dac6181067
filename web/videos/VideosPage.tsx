import { PageHead } from '#web/ui/PageHead.tsx'

export function VideosPage() {
  return <PageHead title="Content" />
}
