# frozen_string_literal: true

module Holdup
  module Analysis
    class Jits
      # What ends processes of a server, as one of them told: see Holdup::Jit::Killers. `of`: "process", or "all" for the sum
      # over the server and all of its workers.
      Killer = Data.define(:name, :of, :limit_bytes, :units, :every_s) do
        # @param trail [Processes::Trail]
        # @return [Killer, nil] nil also when it is loaded and is for another server
        def self.of(trail)
          return unless trail[:"killer.name"] && trail[:server].to_s.split("+").include?(trail[:"killer.server"])
          new(**members.to_h { |name| [name, trail[:"killer.#{name}"]] })
        end

        def all? = of == "all"
      end
    end
  end
end
