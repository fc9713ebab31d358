# frozen_string_literal: true

module Holdup
  class Web
    # Dependencies of a dashboard request. `store` opens the store; `captures`: the stored ones; `ordering`:
    # takes orders for captures, nil if disabled; `refusal`: why the request is not answered, usually nil;
    # `answers`: results of the pages that take seconds.
    Context = Data.define(:store, :dir, :captures, :ordering, :clock, :language, :refusal, :answers)
    # Its key in the Rack environment.
    Context::KEY = "holdup.web"
  end
end
