import { PageHead } from '#web/ui/PageHead.tsx'

export function TransmissionCreate() {
  return <PageHead title="New transmission" />
}
