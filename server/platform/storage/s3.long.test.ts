import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { storeSuite } from '../../testing/store/store-suite.ts'
import { hasSwift, startSwift, type Swift } from '../../testing/store/swift.ts'
import { s3Store, type S3Place } from './s3.ts'
import type { Store } from './store.ts'

describe.skipIf(!hasSwift)('a bucket of an S3-compatible store (needs the packages of Swift)', () => {
  let swift: Swift
  let place: S3Place & { endpoint: string }
  let [one, other]: Store[] = []

  beforeAll(async () => {
    swift = await startSwift()
    place = { ...(await swift.bucket('files')), prefix: 'of-one/' }
    ;[one, other] = [s3Store(place), s3Store(place)]
  })

  afterAll(async () => {
    one?.close()
    other?.close()
    await swift?.stop()
  })

  const opened = (store: Store | undefined): Store => {
    if (!store) throw new Error('the store was not opened')
    return store
  }

  storeSuite(
    () => opened(one),
    () => opened(other),
  )

  test('two prefixes of one bucket do not see each other', async () => {
    const neighbour = s3Store({ ...place, prefix: 'of-another/' })
    await neighbour.put('sources/x', Buffer.from('theirs'))
    expect(await opened(one).head('sources/x')).toBeUndefined()
    neighbour.close()
  })
})
