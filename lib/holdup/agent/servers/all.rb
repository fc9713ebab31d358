# frozen_string_literal: true

require_relative "../servers"
require_relative "adapter"

module Holdup
  module Servers
    # All servers and job runners with an adapter, by name. An application loads only the adapter of its own.
    adapters = KNOWN.each_value.map(&:call).uniq.grep(Adapter)
    ADAPTERS = adapters.to_h { |adapter| [adapter.server_name, adapter] }.freeze
  end
end
