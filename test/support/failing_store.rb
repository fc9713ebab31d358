# frozen_string_literal: true

require "holdup/model/errors"

# A store that accepts nothing.
class FailingStore
  def initialize(store)
    @store = store
  end

  def checkpoints(**) = @store.checkpoints(**)

  def audit_entries(...) = @store.audit_entries(...)

  def deaths(...) = @store.deaths(...)

  def processes(...) = @store.processes(...)

  def sums(...) = @store.sums(...)

  def commit(*, **)
    raise(Holdup::StoreError::Locked.new(location: "x", seconds: 1))
  end
end
