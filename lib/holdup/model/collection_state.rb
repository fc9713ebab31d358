# frozen_string_literal: true

module Holdup
  # How far the collector of one host and folder has come, as of its last round that wrote something.
  #
  # - `host`; `folder`: of the segments; `at_ns`: when that round read them, since 1970
  # - `units`: {String => Integer}: by segment file name, how many of its requests and jobs are in the store
  CollectionState = Data.define(:host, :folder, :at_ns, :units) do
    # A later state with the same key replaces an earlier one.
    def key = [host, folder]
  end

  # The store deletes states that are older than this.
  CollectionState::KEEP_S = 14 * 86_400
end
