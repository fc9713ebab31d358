# frozen_string_literal: true

module Holdup
  module Terraform
    # What somebody wants to have in Terraform.
    #
    # - `format`: of the lines, :json (metrics come from filters) or :emf (they come by themselves)
    # - `log_group`, `region`: nil leaves them to be given to Terraform
    # - `namespace`: of the metrics; `app`, `server`: only lines of these; nil takes all
    # - `memory_mib`: of one process, at which the alarm goes off
    Plan = Data.define(:format, :log_group, :region, :namespace, :app, :server, :memory_mib) do
      def initialize(format: :json, log_group: nil, region: nil, namespace: nil, app: nil, server: nil,
        memory_mib: 1024)
        namespace ||= (app && format == :json) ? "Holdup/#{app}" : "Holdup"
        super
      end

      # @return [Boolean] whether filters make the metrics
      def filters? = format == :json

      # @return [Hash{String => String}] of the metrics; every one more would be paid for, so filters make
      #   none
      def dimensions
        filters? ? {} : {"app" => app, "server" => server}.compact
      end

      # @param name [String]
      # @return [String] unlike that of another application's
      def named(name)
        ["holdup", app, server, name].compact.join("-")
      end
    end
  end
end
