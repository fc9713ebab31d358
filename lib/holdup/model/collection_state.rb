# frozen_string_literal: true

module Holdup
  # How far the collector of one host and folder has come, as of its last round that wrote something.
  #
  # - `host`; `folder`: of the segments; `at_ns`: when that round read them, since 1970
  # - `units`: {String => Integer}: by a segment's file name, how many requests and jobs of it are in the
  #   store
  CollectionState = Data.define(:host, :folder, :at_ns, :units) do
    # @return [Array] a later one of the same key replaces it
    def key = [host, folder]
  end

  # States of older folders are deleted.
  CollectionState::KEEP_S = 14 * 86_400
end
