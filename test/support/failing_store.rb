# frozen_string_literal: true

require "holdup/model/errors"

# A store that accepts nothing.
class FailingStore
  def initialize(store)
    @store = store
  end

  def progress(**) = @store.progress(**)

  def audit_entries(...) = @store.audit_entries(...)

  def commit(*, **)
    raise(Holdup::StoreError::Locked.new(location: "x", seconds: 1))
  end
end
