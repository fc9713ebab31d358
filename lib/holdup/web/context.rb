# frozen_string_literal: true

module Holdup
  class Web
    # What a request of the dashboard is answered from. `store` opens the store; `captures`: those that are kept; `ordering`:
    # takes orders for captures, nil where nobody may give any; `refusal`: why it is not answered, mostly nil; `deferred`: a Deferred::Later, of what is not worked out yet.
    Context = Data.define(:store, :dir, :captures, :ordering, :clock, :language, :refusal, :deferred) do
      def initialize(deferred: nil, **rest) = super
    end
    # Where it is in the Rack environment.
    Context::KEY = "holdup.web"
  end
end
