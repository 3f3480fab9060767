// Names a payment that the user can select in a list.

/** A payment of a list that the user can select. */
export type SelectablePayment = {
  collection_id: string
  status: string
  amount: string | number
  currency: string
  reference?: string | null
}

/** Returns the text that names a payment: its reference, or its id if it has no reference. */
export const nameOfPayment = ({ reference, collection_id }: SelectablePayment) => reference ?? collection_id
