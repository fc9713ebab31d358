# frozen_string_literal: true

module Holdup
  module View
    module Pages
      # All hosts, what runs on them, and how they differ.
      class Fleet < Base
        include Base::OverTime

        def blocks
          return [*view.blocks, *last_data] if fleet.empty?
          lead, *rest = view.blocks
          [lead, *rest, over_time, *view.changed].compact
        end

        def live? = query.live?

        def asks = []

        private

        def filter = Analysis::UnitFilter.new

        def fleet
          @fleet ||= Queries::FleetQuery.call(store, from_s: query.from_s, to_s: query.until_s)
        end

        def view
          @view ||= View::Fleet.new(fleet, changes: marks, words: @words, limit: query.limit,
            link: method(:host_link))
        end

        def host_link(host)
          return Width.clean(host) if host.size > LONGEST_NAME
          Blocks::Link.new(text: Width.clean(host), page: "overview", params: {"host" => host})
        end

        def refuse_unmatched
        end

        def json = View::Fleet::Json.new(fleet, changes: marks).call
      end
    end
  end
end
