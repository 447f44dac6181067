import { PageHead } from '#web/ui/PageHead.tsx'

export function GroupCreate() {
  return <PageHead title="New group" />
}
