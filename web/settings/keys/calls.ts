import {
  createKey,
  createSystemKey,
  listKeys,
  listSystemKeys,
  revokeKey,
  revokeSystemKey,
  rotateKey,
  rotateSystemKey,
  updateKey,
  updateSystemKey,
  type Key,
  type KeyInput,
  type RotationInput,
} from '#contract/service-accounts.ts'
import { useChange } from '#web/api/query.ts'

const readers = [listKeys, listSystemKeys]

/** What changes the keys of an organization, or (null) of the installation. */
export function useKeyCalls(orgId: string | null) {
  const create = useChange(createKey, readers)
  const createSystem = useChange(createSystemKey, readers)
  const update = useChange(updateKey, readers)
  const updateSystem = useChange(updateSystemKey, readers)
  const rotation = useChange(rotateKey, readers)
  const rotationSystem = useChange(rotateSystemKey, readers)
  const withdrawal = useChange(revokeKey, readers)
  const withdrawalSystem = useChange(revokeSystemKey, readers)
  return {
    make: (body: KeyInput) =>
      orgId === null ? createSystem.mutateAsync({ body }) : create.mutateAsync({ params: { orgId }, body }),
    change: (key: Key, body: KeyInput) =>
      orgId === null
        ? updateSystem.mutateAsync({ params: { keyId: key.id }, body, ifMatch: key })
        : update.mutateAsync({ params: { orgId, keyId: key.id }, body, ifMatch: key }),
    rotate: (keyId: string, body: RotationInput) =>
      orgId === null
        ? rotationSystem.mutateAsync({ params: { keyId }, body })
        : rotation.mutateAsync({ params: { orgId, keyId }, body }),
    withdraw: (keyId: string) =>
      orgId === null
        ? withdrawalSystem.mutateAsync({ params: { keyId } })
        : withdrawal.mutateAsync({ params: { orgId, keyId } }),
    isBusy: [create, createSystem, update, updateSystem, rotation, rotationSystem].some(
      ({ isPending }) => isPending,
    ),
  }
}
