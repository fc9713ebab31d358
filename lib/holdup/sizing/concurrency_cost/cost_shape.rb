# frozen_string_literal: true

module Holdup
  module Sizing
    class ConcurrencyCost
    end

    # How times may grow with the units in flight, and how units are compared then.
    #
    # - `amount(in_flight)`: what they grow with
    # - `figure(ns)`: of a unit's time, of which the mean is taken; `without(figure, factor)`: the same of a
    #   time that was shorter by that factor; `ns(figure)`: the time
    # - `highest`: growth that is looked for
    module ConcurrencyCost::CostShape
      # By each doubling. Running times are heavy-tailed: their logarithms have means that can be trusted.
      module DoublingSteps
        module_function

        def amount(in_flight)
          HoldCost.doublings(in_flight)
        end

        def figure(ns) = Math.log(ns)

        def without(figure, factor)
          figure - Math.log(factor)
        end

        def ns(figure) = Math.exp(figure)

        # Where nobody has seen more.
        def highest = 1.0
      end

      # By each further unit. For times that many units have none of: who has a garbage collection pays for
      # the others.
      module PerUnit
        module_function

        def amount(in_flight) = HoldCost.others(in_flight)

        def figure(ns) = ns.to_f

        def without(figure, factor) = figure / factor

        def ns(figure) = figure

        # What a large request keeps can be many times what the application itself does.
        def highest = 10.0
      end
    end
  end
end
