# frozen_string_literal: true

module Holdup
  module Ps
    Feature = FeatureContents.of(
      about: "which requests and jobs run now, and who holds the GVL",
      uses: %w[doctor top],
      offers: %w[Reader Report],
      commands: [
        {name: "ps", place: 25, group: :look,
         summary: "which requests and jobs run now, for how long, and what each waits for"}
      ],
      checks: {"HungCheck" => 105}
    )
  end
end
