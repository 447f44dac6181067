import type { Debt, Spool } from './wire.ts'

const store = 'debts'

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open('watch', 1)
  request.addEventListener('upgradeneeded', () => {
    request.result.createObjectStore(store, { keyPath: 'playToken' })
  })
  return resultOf(request)
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.addEventListener('success', () => resolve(request.result))
    request.addEventListener('error', () => reject(request.error ?? new Error('no storage')))
  })
}

async function run<T>(mode: IDBTransactionMode, work: (debts: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const database = await open()
  try {
    return await resultOf(work(database.transaction(store, mode).objectStore(store)))
  } finally {
    database.close()
  }
}

/** Keeps what is owed in the browser. Where that is forbidden (private windows), a crash may lose the last seconds; nothing else. */
export function browserSpool(): Spool {
  return {
    put: (debt) => run('readwrite', (debts) => debts.put(debt)).then(ignore, ignore),
    remove: (playToken) => run('readwrite', (debts) => debts.delete(playToken)).then(ignore, ignore),
    all: () => run<Debt[]>('readonly', (debts) => debts.getAll()).catch(() => []),
  }
}

function ignore(): void {
  // See above.
}
